// A receiver of the feed, with nothing but the standard library of Go 1.19.
//
//	FEED_SIGNING_SECRET=… go run .
//	go run . count <event id>
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

const (
	path      = "/webhooks/feed"
	limitSize = 1 << 20
)

type receiver struct {
	secrets []string
	journal *journal
}

func (rc *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		reject(w, http.StatusMethodNotAllowed, "method_not_allowed")
		return
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		reject(w, http.StatusUnsupportedMediaType, "content_encoding")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limitSize))
	if err != nil {
		// The unread rest of a body must not be taken for the next request.
		w.Header().Set("Connection", "close")
		if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
			reject(w, http.StatusRequestEntityTooLarge, "body_too_large")
			return
		}
		reject(w, http.StatusServiceUnavailable, "body_incomplete")
		return
	}
	// Nothing looks into the body before its signature holds.
	switch verify(r.Header["Feed-Signature"], body, rc.secrets, time.Now()) {
	case nil:
	case errOutsideWindow:
		// A 4xx would pause the feed over a wrong clock. After a 503 the service retries.
		reject(w, http.StatusServiceUnavailable, "outside_window")
		return
	default:
		reject(w, http.StatusUnauthorized, "signature_mismatch")
		return
	}
	status, err := rc.store(body, r.Header["Feed-Event-Id"])
	if err != nil {
		log.Printf("the journal failed: %v", err)
		reject(w, http.StatusServiceUnavailable, "store_failed")
		return
	}
	code := http.StatusAccepted
	if status == "duplicate" {
		code = http.StatusOK
	}
	answer(w, code, map[string]string{"status": status})
}

func (rc *receiver) store(body []byte, idHeaders []string) (string, error) {
	id, reason := readEventID(body, idHeaders)
	if reason != "" {
		return rc.journal.quarantine(reason, body)
	}
	return rc.journal.store(id, body)
}

func reject(w http.ResponseWriter, status int, code string) {
	log.Printf("rejected with %d: %s", status, code)
	answer(w, status, map[string]string{"error": "The delivery was rejected: " + code + ".", "code": code})
}

func answer(w http.ResponseWriter, status int, content map[string]string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A client that has gone gets no answer, and the service sends the event again.
	_ = json.NewEncoder(w).Encode(content)
}

// readSecrets returns the current secret, and during a rotation the next one.
func readSecrets() ([]string, error) {
	var secrets []string
	for _, name := range []string{"FEED_SIGNING_SECRET", "FEED_SIGNING_SECRET_NEXT"} {
		secret := strings.TrimSpace(os.Getenv(name))
		if secret == "" {
			continue
		}
		if !strings.HasPrefix(secret, "feed_whsec_") {
			return nil, fmt.Errorf("%s is not the whole secret, which begins with feed_whsec_", name)
		}
		secrets = append(secrets, secret)
	}
	if len(secrets) == 0 {
		return nil, errors.New("set FEED_SIGNING_SECRET to the signing secret")
	}
	return secrets, nil
}

func serve(file string) error {
	secrets, err := readSecrets()
	if err != nil {
		return err
	}
	// Before it listens: it must not answer 404 or 503 while the journal is read.
	journal, err := openJournal(file)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle(path, &receiver{secrets, journal})
	server := &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 5 * time.Second,
		// For a whole request, below the 10 s of the service, so that it still gets an answer.
		ReadTimeout:  8 * time.Second,
		WriteTimeout: 15 * time.Second,
		IdleTimeout:  time.Minute,
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(variable("HOST", "127.0.0.1"), variable("PORT", "3000")))
	if err != nil {
		return err
	}
	fmt.Printf("Listening on http://%s%s\n", listener.Addr(), path)
	stopping, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-stopping.Done():
		ending, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		return server.Shutdown(ending)
	}
}

func variable(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func main() {
	file := variable("FEED_JOURNAL", "events.jsonl")
	if len(os.Args) == 3 && os.Args[1] == "count" {
		count, err := countEvent(file, os.Args[2])
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(count)
		return
	}
	if err := serve(file); err != nil {
		log.Fatal(err)
	}
}
