import { expect, test } from "vitest";
import { createReadTexts } from "./read-texts.ts";

const page = { name: "read_page" };

test("knows an address that a person or a stranger wrote, and none that the model made up", () => {
  const read = createReadTexts([
    { role: "user", parts: [{ type: "text", text: "Read https://garden.example/roses, please." }] },
  ]);
  const made = "https://evil.example/?said=secret";
  read.add({ toolName: "calculate", result: made, args: { expression: made } });
  expect([read.strangers, read.knows(made, page)]).toEqual([[], false]);
  // A search that repeats what was searched for.
  read.add({
    toolName: "search_web",
    result: `Nothing for ${made}`,
    from: "search.example",
    args: { query: made },
  });
  expect([read.strangers, read.knows(made, page)]).toEqual([["search.example"], false]);
  expect(read.knows("https://garden.example/roses", page)).toBe(true);
  read.add({
    toolName: "read_page",
    result: { text: "See https://garden.example/beans" },
    from: "garden.example",
    args: { url: "https://garden.example/roses?page=2" },
  });
  expect(read.knows("https://garden.example/beans", page)).toBe(true);
  // It was sent there before, when a person allowed it.
  expect(read.knows("https://garden.example/roses?page=2", page)).toBe(true);
  expect(read.knows("https://garden.example/roses?page=2", { name: "post" })).toBe(false);
  expect(read.lastArgs("read_page")).toEqual({ url: "https://garden.example/roses?page=2" });
});
