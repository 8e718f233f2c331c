import { expect, test } from "vitest";
import { wordsOf } from "../indexed-words.ts";
import { parseQuestion } from "./question.ts";

const keys = async (text: string) => (await parseQuestion(text)).concepts.map(({ key }) => key);

/** Whether the text has every concept of the question. */
async function fits(question: string, text: string): Promise<boolean> {
  const { concepts, keyOf } = await parseQuestion(question);
  const present = new Set([...wordsOf(text)].map(keyOf));
  return concepts.every(({ key }) => present.has(key));
}

/** Whether the lookups of each concept find the text. */
async function reaches(question: string, text: string): Promise<boolean> {
  const { concepts } = await parseQuestion(question);
  const terms = [...wordsOf(text)].map(({ term }) => term);
  return concepts.every(({ lookups }) =>
    lookups.some(({ words: [word], prefix }) =>
      terms.some((term) => (prefix === true ? term.startsWith(word!) : term === word)),
    ),
  );
}

test("has its words as concepts, without stop words", async () => {
  expect(await keys("What did we say about the keys to the cabin?")).toEqual(["kei", "cabin"]);
  expect(await keys("Wann muss ich die Miete für die Wohnung überweisen?")).toEqual([
    "miet",
    "wohnung",
    "uberweis",
  ]);
  expect(await keys("搬家用电梯要提前多久预约？")).toContain("电梯");
  expect(await keys("転出届はいつから出せますか？")).toEqual(expect.arrayContaining(["転出", "出届"]));
});

test("keeps its stop words if it has no others", async () => {
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
] as const)("%j matches %j", async ([question, text]) => {
  expect(await reaches(question, text)).toBe(true);
  if (!question.startsWith("Kündigungen")) expect(await fits(question, text)).toBe(true);
});

test("does not match other words with the same beginning", async () => {
  expect(await fits("the car", "careful")).toBe(false);
  expect(await fits("the bath", "a bat")).toBe(false);
});

test("has few concepts, however long the text", async () => {
  const text = Array.from({ length: 5_000 }, (_, index) => `word${index}`).join(" ");
  expect((await parseQuestion(text)).concepts.length).toBeLessThanOrEqual(48);
});
