import { expect, test } from "vitest";
import { parseOrigin } from "./origin.ts";

test.for([
  ["https://app.example.com", "https://app.example.com"],
  ["https://app.example.com/", "https://app.example.com"],
  ["https://app.example.com:443", "https://app.example.com"],
  ["https://App.Example.com", "https://app.example.com"],
  [" http://localhost:5173 ", "http://localhost:5173"],
  ["http://[::1]:8080", "http://[::1]:8080"],
  ["https://bücher.example", "https://xn--bcher-kva.example"],
  ["capacitor://localhost", "capacitor://localhost"],
  ["chrome-extension://abcdefgh", "chrome-extension://abcdefgh"],
] as const)("parses the origin in %j as %j", ([text, origin]) => {
  expect(parseOrigin(text)).toBe(origin);
});

test.for([
  "",
  "*",
  "null",
  "app.example.com",
  "https://",
  "https://*.example.com",
  "https://app.example.com/path",
  "https://app.example.com//",
  "https://app.example.com?x=1",
  "https://app.example.com/#x",
  "https://ada:secret@app.example.com",
  "file:///home/ada",
  "data:text/html,x",
  "javascript:alert(1)",
])("finds no origin in %j", (text) => {
  expect(parseOrigin(text)).toBeUndefined();
});
