import { describe, expect, it } from "vitest";
import type { ModelEvent } from "#server/models/model.ts";
import { trimRepeat } from "./trim-repeat.ts";

const said = "Rivers shape the land. They carry stones, and the sea takes them at the ";

describe("going on with a broken answer", () => {
  it("passes on what is new at once", async () => {
    expect(await goesOn(said, ["end", " of the ", "way."])).toBe("end of the way.");
  });

  it("drops the last words when they are said once more", async () => {
    expect(await goesOn(said, ["and the sea takes", " them at the end."])).toBe("end.");
  });

  it("drops the beginning when the whole is said once more", async () => {
    expect(await goesOn(said, [said.slice(0, 10), said.slice(10), "end."])).toBe("end.");
    expect(await goesOn(said, Array.from(`${said}end.`))).toBe("end.");
  });

  it("sets apart what begins anew and then differs", async () => {
    expect(await goesOn(said, ["Rivers shape the land. They also sing."])).toBe(
      "\n\nRivers shape the land. They also sing.",
    );
  });

  it("keeps words apart that a break left without a space", async () => {
    expect(await goesOn("It is the longest", ["river there is."])).toBe(" river there is.");
    expect(await goesOn("It is the longest", [", they say."])).toBe(", they say.");
  });

  it("keeps a short word that the text happens to end with", async () => {
    expect(await goesOn("She said the", ["the end"])).toBe(" the end");
  });

  it("gives back what it held when the model stops there, and leaves calls and thoughts alone", async () => {
    const call: ModelEvent = { type: "tool-call", toolCallId: "1", toolName: "calculate", argsText: "{}" };
    const events = await all(
      trimRepeat(said, given([{ type: "reasoning", text: "hm" }, { type: "text", text: "Rivers" }, call])),
    );
    expect(events).toEqual([{ type: "reasoning", text: "hm" }, { type: "text", text: "Rivers" }, call]);
  });
});

async function goesOn(before: string, texts: string[]): Promise<string> {
  const finish: ModelEvent = { type: "finish", reason: "stop", usage: {} };
  const events = await all(
    trimRepeat(before, given([...texts.map((text): ModelEvent => ({ type: "text", text })), finish])),
  );
  expect(events.at(-1)).toEqual(finish);
  return events.map((event) => (event.type === "text" ? event.text : "")).join("");
}

async function* given(events: ModelEvent[]): AsyncGenerator<ModelEvent> {
  yield* events;
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}
