package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const tolerance = 300 * time.Second

var (
	errForged        = errors.New("nobody who has a secret signed this body")
	errOutsideWindow = errors.New("the signature is genuine, but its time is too far from this clock")

	timeForm      = regexp.MustCompile(`^t=(0|[1-9][0-9]{0,11})$`)
	signatureForm = regexp.MustCompile(`^v1=[0-9a-f]{64}$`)
	// A scheme that is yet to come.
	otherForm = regexp.MustCompile(`^[a-z][a-z0-9]*=[^,\s]{1,256}$`)
)

// verify returns nil for a genuine, fresh delivery. Two headers would have two times, so only a
// single one counts.
func verify(headers []string, body []byte, secrets []string, now time.Time) error {
	if len(headers) != 1 {
		return errForged
	}
	timestamp, signatures, ok := parseSignature(headers[0])
	if !ok || !isSigned(timestamp, signatures, body, secrets) {
		return errForged
	}
	// After the signature: a genuine delivery under a wrong clock must not look like a forged one.
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return errForged
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > tolerance || age < -tolerance {
		return errOutsideWindow
	}
	return nil
}

// parseSignature reads t=<unix>, one to four v1=<64 lowercase hex digits>, and up to four other
// schemes after them.
func parseSignature(header string) (timestamp string, signatures []string, ok bool) {
	parts := strings.Split(header, ",")
	found := timeForm.FindStringSubmatch(parts[0])
	if found == nil {
		return "", nil, false
	}
	rest := parts[1:]
	for len(rest) > 0 && signatureForm.MatchString(rest[0]) {
		signatures = append(signatures, strings.TrimPrefix(rest[0], "v1="))
		rest = rest[1:]
	}
	for _, part := range rest {
		isKnown := strings.HasPrefix(part, "t=") || strings.HasPrefix(part, "v1=")
		if isKnown || !otherForm.MatchString(part) {
			return "", nil, false
		}
	}
	ok = len(signatures) >= 1 && len(signatures) <= 4 && len(rest) <= 4
	return found[1], signatures, ok
}

// isSigned tries every signature with every secret, in constant time. The exact text of the header
// is what was signed, not the number that it means.
func isSigned(timestamp string, signatures []string, body []byte, secrets []string) bool {
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(timestamp + "."))
		mac.Write(body)
		expected := []byte(hex.EncodeToString(mac.Sum(nil)))
		for _, signature := range signatures {
			if hmac.Equal([]byte(signature), expected) {
				return true
			}
		}
	}
	return false
}
