import { expect, test } from "vitest";
import { isDirect } from "./outgoing-proxy.ts";

test.for([
  ["https://api.openai.com/v1", ""],
  ["https://api.openai.com", "openai.com.evil.example,notopenai.com,pi.openai.com"],
  ["https://api.openai.com", "openai.com:8443"],
  ["https://93.184.215.14", "93.184.216.0/24,93.184.215.1,2606:2800:220::/48"],
])("%s goes through the proxy beside NO_PROXY=%s", ([url, noProxy]) => {
  expect(isDirect(new URL(url!), noProxy!.split(","))).toBe(false);
});

test.for([
  // The server's own network needs no entry.
  ["http://127.0.0.1:11434", ""],
  ["http://[::1]:11434", ""],
  ["https://10.1.2.3", ""],
  ["https://[fd00::1]", ""],
  ["http://localhost:1234", ""],
  ["http://ollama:11434", ""],
  ["https://models.lan", ""],
  ["https://api.openai.com", "*"],
  ["https://api.openai.com", "example.org,OpenAI.com"],
  ["https://openai.com", ".openai.com"],
  ["https://api.openai.com.", "*.openai.com"],
  ["https://api.openai.com", "api.openai.com:443"],
  ["http://api.openai.com:8080", "openai.com:8080"],
  ["https://93.184.215.14", "93.184.215.0/24"],
  ["https://93.184.215.14:8443", "93.184.215.14:8443"],
  ["https://[2606:2800:220:1::1]", "2606:2800:220::/48"],
  ["https://[2606:2800:220:1::1]", "2606:2800:220:1:0:0:0:1"],
])("%s is reached directly with NO_PROXY=%s", ([url, noProxy]) => {
  expect(isDirect(new URL(url!), noProxy!.split(","))).toBe(true);
});
