package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// journal stores each event once, in a file to which it only appends: one line of JSON for each
// event. The ids are in memory: 110 bytes for one of 26 characters.
type journal struct {
	mutex       sync.Mutex
	file        *os.File
	size        int64
	events      map[string][32]byte
	quarantined map[string]bool
	// Set once the file is in an unknown state. From then on nothing is stored.
	broken error
}

// record is a line of the journal: an event, or a body in quarantine with its reason.
type record struct {
	ID         string    `json:"id,omitempty"`
	Quarantine string    `json:"quarantine,omitempty"`
	ReceivedAt time.Time `json:"received_at"`
	SHA256     []byte    `json:"sha256"`
	Body       []byte    `json:"body"`
}

// openJournal reads the file, creates it if it is missing, and locks it until the process ends.
func openJournal(path string) (*journal, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, fmt.Errorf("another process has %s open: %w", path, err)
	}
	j := &journal{file: file, events: map[string][32]byte{}, quarantined: map[string]bool{}}
	if j.size, err = readRecords(file, j.remember); err != nil {
		return nil, err
	}
	// The rest is a record that a crash cut off. Its delivery got no answer.
	if err := file.Truncate(j.size); err != nil {
		return nil, err
	}
	return j, syncFolder(filepath.Dir(path))
}

// store returns "stored", "duplicate" or "quarantined" once that is on disk.
func (j *journal) store(id string, body []byte) (string, error) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	sum := sha256.Sum256(body)
	known, isKnown := j.events[id]
	if isKnown && known == sum {
		return "duplicate", nil
	}
	if isKnown {
		return "quarantined", j.append(record{Quarantine: "other_bytes", Body: body, SHA256: sum[:]})
	}
	return "stored", j.append(record{ID: id, Body: body, SHA256: sum[:]})
}

// quarantine keeps a body for an operator. The same body for the same reason is kept once.
func (j *journal) quarantine(reason string, body []byte) (string, error) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	sum := sha256.Sum256(body)
	return "quarantined", j.append(record{Quarantine: reason, Body: body, SHA256: sum[:]})
}

// append returns once the record is on disk: after a 2xx the service never sends the event again.
func (j *journal) append(r record) error {
	if j.broken != nil || j.quarantined[r.Quarantine+string(r.SHA256)] {
		return j.broken
	}
	r.ReceivedAt = time.Now().UTC()
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		// A full disk leaves a part of the line, which must not come before the next one.
		if cut := j.file.Truncate(j.size); cut != nil {
			j.broken = cut
		}
		return err
	}
	// After a failed sync nobody knows what is on disk. A restart reads the file again.
	if j.broken = j.file.Sync(); j.broken != nil {
		return j.broken
	}
	j.size += int64(len(line)) + 1
	j.remember(r)
	return nil
}

func (j *journal) remember(r record) {
	if r.Quarantine != "" {
		j.quarantined[r.Quarantine+string(r.SHA256)] = true
		return
	}
	var sum [32]byte
	copy(sum[:], r.SHA256)
	j.events[r.ID] = sum
}

// readRecords reads whole records, and returns the size of them all. A broken record before the
// last one is no crash but a damaged file, and an error.
func readRecords(file io.Reader, found func(record)) (size int64, err error) {
	reader := bufio.NewReader(file)
	for {
		line, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return size, nil
		}
		if err != nil {
			return 0, err
		}
		var r record
		if json.Unmarshal(line, &r) != nil || !r.isWhole() {
			if _, err := reader.Peek(1); errors.Is(err, io.EOF) {
				return size, nil
			}
			return 0, fmt.Errorf("the journal is damaged at byte %d: restore it from a backup", size)
		}
		size += int64(len(line))
		found(r)
	}
}

func (r record) isWhole() bool {
	sum := sha256.Sum256(r.Body)
	return bytes.Equal(sum[:], r.SHA256)
}

// countEvent counts an event in the file while another process appends to it.
func countEvent(path, id string) (count int, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	_, err = readRecords(file, func(r record) {
		if r.Quarantine == "" && r.ID == id {
			count++
		}
	})
	return count, err
}

// syncFolder makes the name of a new file durable.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}
