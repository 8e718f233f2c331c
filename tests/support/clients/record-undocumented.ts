import { afterAll, afterEach, expect } from "vitest";
import { undocumentedIn } from "#fixtures/undocumented.ts";

// Fails a test in which a client of the protocol sends a path, a header or a field that the API reference does not have.
// The server ignores unknown fields, so nothing else would show them. They are recorded where the client sends them: only
// there it is known whether a client or the test itself sends a request.
const original = globalThis.fetch;
let undocumented: string[] = [];

globalThis.fetch = async (input, init) => {
  // What tests send themselves may be wrong on purpose.
  if (!isClient(new Error("where").stack ?? "")) return await original(input, init);
  const request = new Request(input, init);
  const { method, url } = request;
  const body = typeof init?.body === "string" ? init.body : await request.clone().text();
  undocumented.push(...undocumentedIn({ method, url, headers: [...request.headers.keys()], body }));
  return await original(request);
};

afterEach(expectDocumented);
afterAll(() => void (globalThis.fetch = original));

function expectDocumented() {
  expect(takeUndocumented(), "the clients send only what the API reference has").toEqual([]);
}

/** What the clients have sent since the last call, each once. */
export function takeUndocumented(): string[] {
  const taken = [...new Set(undocumented)];
  undocumented = [];
  return taken;
}

function isClient(stack: string): boolean {
  return /[\\/]node_modules[\\/](assistant-(cloud|stream)|@assistant-ui)/.test(stack);
}
