require "json"
require "openssl"
require "socket"

KEY = ENV.fetch("WEBHOOK_SECRET").delete_prefix("whsec_").unpack1("m")
seen = {} # in production: a unique column in your database

def genuine?(headers, body)
  id, sent = headers["webhook-id"], headers["webhook-timestamp"]
  return false if (Time.now.to_i - sent.to_i).abs > 300
  expected = "v1," + [OpenSSL::HMAC.digest("SHA256", KEY, "#{id}.#{sent}.#{body}")].pack("m0")
  headers["webhook-signature"].to_s.split.any? { |one| OpenSSL.secure_compare(expected, one) }
end

# A server of the standard library; in production this is an action of Rails or Sinatra.
server = TCPServer.new("127.0.0.1", ENV.fetch("PORT").to_i)
loop do
  Thread.new(server.accept) do |client|
    client.gets
    headers = {}
    while (line = client.gets&.chomp) && !line.empty?
      name, value = line.split(": ", 2)
      headers[name.downcase] = value
    end
    body = client.read(headers["content-length"].to_i)
    answer = ""
    if genuine?(headers, body)
      firing = JSON.parse(body)
      puts "due: #{firing["payload"]}" unless seen[firing["deliveryId"]]
      $stdout.flush
      seen[firing["deliveryId"]] = true
      answer = '{"ok": true}'
    end
    client.write "HTTP/1.1 #{answer.empty? ? "401 Unauthorized" : "200 OK"}\r\ncontent-type: application/json\r\n" \
                 "content-length: #{answer.bytesize}\r\nconnection: close\r\n\r\n#{answer}"
    client.close
  end
end
