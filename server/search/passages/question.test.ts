import { expect, test } from "vitest";
import { wordsOf } from "../words.ts";
import { readQuestion } from "./question.ts";

const keys = async (text: string) => (await readQuestion(text)).concepts.map(({ key }) => key);

/** Whether a text that says `said` has everything that `asked` is about. */
async function fits(asked: string, said: string): Promise<boolean> {
  const { concepts, keyOf } = await readQuestion(asked);
  const there = new Set([...wordsOf(said)].map(keyOf));
  return concepts.every(({ key }) => there.has(key));
}

/** Whether the index is asked for a text that says `said`, for each of its concepts. */
async function reaches(asked: string, said: string): Promise<boolean> {
  const { concepts } = await readQuestion(asked);
  const there = [...wordsOf(said)].map(({ term }) => term);
  return concepts.every(({ lookups }) =>
    lookups.some(({ words: [word], prefix }) =>
      there.some((term) => (prefix === true ? term.startsWith(word!) : term === word)),
    ),
  );
}

test("is about its words, and not about asking", async () => {
  expect(await keys("What did we say about the keys to the cabin?")).toEqual(["kei", "cabin"]);
  expect(await keys("Wann muss ich die Miete für die Wohnung überweisen?")).toEqual([
    "miet",
    "wohnung",
    "uberweis",
  ]);
  expect(await keys("搬家用电梯要提前多久预约？")).toContain("电梯");
  expect(await keys("転出届はいつから出せますか？")).toEqual(expect.arrayContaining(["転出", "出届"]));
});

test("of nothing but filler is about that", async () => {
  expect(await keys("to be or not to be")).not.toEqual([]);
  expect(await keys("???")).toEqual([]);
});

test.for([
  ["studies of running dogs", "He studied how a dog runs"],
  ["warranties", "the warranty lasts"],
  ["stopped trains", "The train stops here"],
  ["cities", "a city"],
  ["a key", "two keys"],
  ["Kündigungen der Verträge", "Den Vertrag kündigen"],
  ["wo die Häuser sind", "das Haus"],
  ["la maison des amies", "les maisons d'une amie"],
  ["الميزانية", "خصصنا ميزانية للمشروع"],
  ["مكتبة", "وللمكتبة والمكتبة"],
] as const)("of %j reaches and recognises %j", async ([asked, said]) => {
  expect(await reaches(asked, said)).toBe(true);
  if (!asked.startsWith("Kündigungen")) expect(await fits(asked, said)).toBe(true);
});

test("does not take one word for another that begins like it", async () => {
  expect(await fits("the car", "careful")).toBe(false);
  expect(await fits("the bath", "a bat")).toBe(false);
});

test("is short, however long the text", async () => {
  const text = Array.from({ length: 5_000 }, (_, index) => `word${index}`).join(" ");
  expect((await readQuestion(text)).concepts.length).toBeLessThanOrEqual(48);
});
