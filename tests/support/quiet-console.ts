import { afterAll, afterEach, beforeEach, expect } from "vitest";

// A warning that nobody expected is a mistake that nobody has looked at yet. A test that provokes one puts
// its own spy on the console, and then it is expected.
const real = { error: console.error, warn: console.warn };
let unexpected: string[] = [];

function listen() {
  for (const level of ["error", "warn"] as const) {
    console[level] = (...words: unknown[]) => {
      unexpected.push(`console.${level}: ${words.map(String).join(" ")}`);
      real[level](...words);
    };
  }
}

function expectQuiet() {
  const heard = unexpected;
  unexpected = [];
  expect(heard, "nothing unexpected on the console").toEqual([]);
}

// Also before the first test: what a file prints while it is loaded belongs to its first test.
listen();
beforeEach(listen);
afterEach(expectQuiet);
afterAll(() => {
  Object.assign(console, real);
  expectQuiet();
});
