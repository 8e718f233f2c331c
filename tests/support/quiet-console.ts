import { afterAll, afterEach, beforeEach, expect } from "vitest";

// Fails a test that writes an unexpected warning or error to the console. A test that expects one replaces the console
// method with a spy.
/** Each test file loads its packages anew in a worker that has loaded them for another file. */
const expected = /Multiple copies of @assistant-ui\/core are loaded/;

const original = { error: console.error, warn: console.warn };
let unexpected: string[] = [];

function recordOutput() {
  for (const level of ["error", "warn"] as const) {
    console[level] = (...words: unknown[]) => {
      const text = words.map(String).join(" ");
      if (!expected.test(text)) unexpected.push(`console.${level}: ${text}`);
      original[level](...words);
    };
  }
}

function expectQuiet() {
  const output = unexpected;
  unexpected = [];
  expect(output, "nothing unexpected on the console").toEqual([]);
}

// Output while a file is loaded counts for its first test.
recordOutput();
beforeEach(recordOutput);
afterEach(expectQuiet);
afterAll(() => {
  Object.assign(console, original);
  expectQuiet();
});
