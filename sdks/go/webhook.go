package duetime

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const defaultTolerance = 5 * time.Minute

// ErrWebhookVerification is in the chain of every error about a delivery that is not genuine or not fresh.
var ErrWebhookVerification = errors.New("duetime: the delivery is not genuine")

type verificationError string

func (e verificationError) Error() string   { return string(e) }
func (verificationError) Is(err error) bool { return err == ErrWebhookVerification }

// VerifyWebhook checks, as Standard Webhooks says, that one of the secrets signed exactly this body, and returns the delivery
// id. The body is what was received, byte for byte. A tolerance of 0 means 5 minutes.
func VerifyWebhook(body []byte, header http.Header, secrets []string, tolerance time.Duration, now time.Time) (string, error) {
	keys, err := secretKeys(secrets)
	if err != nil {
		return "", err
	}
	id, timestamp, signatures := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp"), header.Get("Webhook-Signature")
	if id == "" || timestamp == "" || signatures == "" {
		return "", verificationError("webhook-id, webhook-timestamp or webhook-signature is missing")
	}
	seconds, err := strconv.ParseUint(timestamp, 10, 40)
	apart := now.Sub(time.Unix(int64(seconds), 0)).Abs()
	if err != nil || apart > orDefault(tolerance, defaultTolerance) {
		return "", verificationError("webhook-timestamp is too old or too new")
	}
	isGenuine := false
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + timestamp + "."))
		mac.Write(body)
		expected := mac.Sum(nil)
		// Every signature is compared, so that the time it takes says nothing about which one was right.
		for _, signature := range strings.Split(signatures, " ") {
			text, isV1 := strings.CutPrefix(signature, "v1,")
			given, err := base64.StdEncoding.DecodeString(text)
			isGenuine = hmac.Equal(given, expected) && isV1 && err == nil || isGenuine
		}
	}
	if !isGenuine {
		return "", verificationError("webhook-signature is not right for this body and these secrets")
	}
	return id, nil
}

// secretKeys never shows a secret in its error: it ends up in logs.
func secretKeys(secrets []string) ([][]byte, error) {
	if len(secrets) == 0 {
		return nil, errors.New("duetime: a delivery cannot be verified without a secret")
	}
	keys := make([][]byte, len(secrets))
	for index, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) == 0 {
			return nil, errors.New("duetime: a webhook secret must be whsec_ followed by base64")
		}
		keys[index] = key
	}
	return keys, nil
}
