package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestJournalAfterACrash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	whole := write(t, path, "evt_1", "evt_2")
	for name, ending := range map[string]string{
		"a record that was cut off":   `{"id":"evt_3","received_at":"2026-`,
		"a last record that is wrong": `{"id":"evt_3","body":"YQ==","sha256":"YQ=="}` + "\n",
		"zeros":                       "\x00\x00\x00\x00",
	} {
		t.Run(name, func(t *testing.T) {
			replace(t, path, whole+ending)
			write(t, path, "evt_3")
			for _, id := range []string{"evt_1", "evt_2", "evt_3"} {
				if count, err := countEvent(path, id); count != 1 || err != nil {
					t.Errorf("%s is stored %d times: %v", id, count, err)
				}
			}
		})
	}
}

func TestJournalThatIsDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	replace(t, path, "nonsense\n"+write(t, path, "evt_1"))
	if _, err := openJournal(path); err == nil {
		t.Error("a damaged journal was opened")
	}
}

func TestJournalHasOneProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	first, err := openJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	defer first.file.Close()
	if _, err := openJournal(path); err == nil {
		t.Error("a journal was opened twice")
	}
}

// write stores events as one process would, and returns what the file holds then.
func write(t *testing.T, path string, ids ...string) string {
	t.Helper()
	j, err := openJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	defer j.file.Close()
	for _, id := range ids {
		if status, err := j.store(id, []byte(id)); status != "stored" || err != nil {
			t.Fatalf("%s: %s, %v", id, status, err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func replace(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
