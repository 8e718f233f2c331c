import { afterAll, afterEach, expect } from "vitest";
import { undocumentedIn } from "#fixtures/undocumented.ts";

// Fails a test in which a client of the protocol sends a path or a field that the API reference does not have. The server
// ignores unknown fields, so nothing else would show them.
const original = globalThis.fetch;
let undocumented: string[] = [];

globalThis.fetch = async (input, init) => {
  // What tests send themselves may be wrong on purpose.
  if (isClient(new Error("where").stack ?? "")) {
    const { method = "GET", body } = init ?? {};
    const url = input instanceof Request ? input.url : String(input);
    undocumented.push(...undocumentedIn({ method, url, body: typeof body === "string" ? body : null }));
  }
  return await original(input, init);
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
