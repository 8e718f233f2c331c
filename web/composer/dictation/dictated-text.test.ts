import { expect, test } from "vitest";
import { createDictatedText } from "./dictated-text.ts";

const pieces = (...texts: string[]) =>
  texts.map((transcript) => Object.assign([{ transcript }], { isFinal: false }));

test("puts what is dictated at the cursor, and replaces it as it becomes certain", () => {
  const write = createDictatedText({ text: "Dear Ada,see you", from: 9, to: 9 });
  expect(write("Dear Ada,see you", pieces("wee"))).toBe("Dear Ada, wee see you");
  expect(write("Dear Ada, wee see you", pieces("we will"))).toBe("Dear Ada, we will see you");
  expect(write("Dear Ada, we will see you", pieces("we will", " surely"))).toBe(
    "Dear Ada, we will surely see you",
  );
});

test("replaces the selection, and adds no space before a punctuation mark or after a line break", () => {
  expect(createDictatedText({ text: "a b.", from: 2, to: 3 })("a b.", pieces("c"))).toBe("a c.");
  expect(createDictatedText({ text: "a\n", from: 2, to: 2 })("a\n", pieces("b"))).toBe("a\nb");
});

test("keeps what the person types meanwhile, and goes on at its end", () => {
  const write = createDictatedText({ text: "", from: 0, to: 0 });
  expect(write("", pieces("one", "too"))).toBe("one too");
  expect(write("One, two", pieces("one", "two"))).toBe("One, two");
  expect(write("One, two", pieces("one", "two", "three"))).toBe("One, two three");
});

test("keeps what a piece adds after the person has typed", () => {
  const write = createDictatedText({ text: "", from: 0, to: 0 });
  expect(write("", pieces("one tw"))).toBe("one tw");
  expect(write("One, two", pieces("one two three"))).toBe("One, two three");
  expect(write("One, two three", pieces("one two three", "four"))).toBe("One, two three four");
});

test("changes nothing without words, also while what was heard is uncertain", () => {
  const write = createDictatedText({ text: "a b", from: 2, to: 3 });
  expect(write("a b", pieces(" "))).toBe("a b");
  expect(write("a b", pieces("c"))).toBe("a c");
  expect(write("a c", pieces(""))).toBe("a b");
  expect(write("a b", pieces("d"))).toBe("a d");
});
