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
)

// maxMembers bounds the signatures of a header that are tried.
const maxMembers = 32

// verify returns nil for a genuine, fresh delivery.
func verify(headers []string, body []byte, secrets []string, now time.Time) error {
	timestamp, signatures, ok := parseSignature(strings.Join(headers, ","))
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

// parseSignature reads each v1=<64 lowercase hex digits> and the t=<unix> before it, and ignores
// other schemes. A proxy may have added white space, or repeated or replaced the header. So a time
// counts only if a signature follows it, and equal times count as one.
func parseSignature(header string) (timestamp string, signatures []string, ok bool) {
	members := strings.Split(header, ",")
	if len(members) > maxMembers {
		members = members[:maxMembers]
	}
	last := ""
	for _, member := range members {
		member = strings.TrimSpace(member)
		if strings.HasPrefix(member, "t=") {
			last = ""
			if found := timeForm.FindStringSubmatch(member); found != nil {
				last = found[1]
			}
		} else if last != "" && signatureForm.MatchString(member) {
			if timestamp != "" && timestamp != last {
				return "", nil, false
			}
			timestamp = last
			signatures = append(signatures, strings.TrimPrefix(member, "v1="))
		}
	}
	return timestamp, signatures, timestamp != ""
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
