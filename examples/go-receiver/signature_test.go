package main

import (
	"strings"
	"testing"
)

func TestTheTimeOfASignature(t *testing.T) {
	signature := "v1=" + strings.Repeat("ab", 32)
	for _, row := range []struct{ header, expected string }{
		{"t=7,v1", "7"},
		{"t=7,v1,t=7,v1", "7"},
		{"t=7,v1,t=1", "7"},
		{"t=7,v1, t=now,v1", "7"},
		{"t=now,v1,t=7,v1", "7"},
		{"t=7,v1,t=1,v1", ""},
		{"t=7,t=now,v1", ""},
		{"v1,t=7", ""},
	} {
		header := strings.ReplaceAll(row.header, "v1", signature)
		timestamp, _, ok := parseSignature(header)
		if timestamp != row.expected || ok != (row.expected != "") {
			t.Errorf("%s: got %q, %v", row.header, timestamp, ok)
		}
	}
}
