package main

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// readEventID returns the id of the event in a verified body, or the reason to put the body in
// quarantine. Unknown types, values and members are fine. Everything else that is unexpected goes
// into quarantine, because a 4xx for one odd event would pause the whole feed.
func readEventID(body []byte, idHeaders []string) (id string, reason string) {
	// encoding/json would replace invalid bytes, and match names of members in any case: a map
	// keeps them apart.
	var event map[string]json.RawMessage
	if !utf8.Valid(body) || !json.Valid(body) {
		return "", "not_json"
	}
	if json.Unmarshal(body, &event) != nil {
		return "", "not_an_event"
	}
	if version, ok := text(event["schema_version"]); !ok || version != "1.0" {
		return "", "unknown_schema_version"
	}
	for _, name := range []string{"type", "created_at"} {
		if _, ok := text(event[name]); !ok {
			return "", "not_an_event"
		}
	}
	id, ok := text(event["id"])
	if !ok || !isID(id) || !strings.HasPrefix(string(event["data"]), "{") {
		return "", "not_an_event"
	}
	// Only the body is signed.
	if len(idHeaders) > 0 && idHeaders[0] != id {
		return "", "id_differs"
	}
	return id, ""
}

func text(raw json.RawMessage) (string, bool) {
	var value *string
	if json.Unmarshal(raw, &value) != nil || value == nil {
		return "", false
	}
	return *value, true
}

// isID refuses control characters, and the sign that encoding/json writes for a lone surrogate: two
// such ids would become one.
func isID(id string) bool {
	length := utf8.RuneCountInString(id)
	isBad := func(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError }
	return length >= 1 && length <= 255 && strings.IndexFunc(id, isBad) < 0
}
