package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

var key, _ = base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
var seen sync.Map // in production: a unique column in your database

func isGenuine(header http.Header, body []byte) bool {
	id, sent := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, _ := strconv.ParseInt(sent, 10, 64)
	if time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, sent, body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, one := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal(expected, []byte(one)) {
			return true
		}
	}
	return false
}

func receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil || !isGenuine(r.Header, body) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var firing struct {
		DeliveryID string          `json:"deliveryId"`
		Payload    json.RawMessage `json:"payload"`
	}
	if json.Unmarshal(body, &firing) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if _, again := seen.LoadOrStore(firing.DeliveryID, true); !again {
		fmt.Println("due:", string(firing.Payload))
	}
	w.Header().Set("content-type", "application/json")
	io.WriteString(w, `{"ok": true}`)
}

func main() {
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), http.HandlerFunc(receive)))
}
