import { describe, expect, it } from "vitest";
import type { ModelEvent } from "#server/models/model.ts";
import { trimRepeat } from "./trim-repeat.ts";

const written = "Rivers shape the land. They carry stones, and the sea takes them at the ";

describe("continuing an interrupted answer", () => {
  it("passes new text on at once", async () => {
    expect(await continued(written, ["end", " of the ", "way."])).toBe("end of the way.");
  });

  it("drops repeated last words", async () => {
    expect(await continued(written, ["and the sea takes", " them at the end."])).toBe("end.");
  });

  it("drops the beginning when the model repeats the whole text", async () => {
    expect(await continued(written, [written.slice(0, 10), written.slice(10), "end."])).toBe("end.");
    expect(await continued(written, Array.from(`${written}end.`))).toBe("end.");
  });

  it("starts a paragraph when the model starts again and then differs", async () => {
    expect(await continued(written, ["Rivers shape the land. They also sing."])).toBe(
      "\n\nRivers shape the land. They also sing.",
    );
  });

  it("inserts the space between two words if the interruption dropped it", async () => {
    expect(await continued("It is the longest", ["river there is."])).toBe(" river there is.");
    expect(await continued("It is the longest", [", they say."])).toBe(", they say.");
  });

  it("keeps a short word that the text also ends with", async () => {
    expect(await continued("She said the", ["the end"])).toBe(" the end");
  });

  it("changes nothing if the provider continues the text itself, except that it may return it first", async () => {
    const prefilled = async (texts: string[]) =>
      await continued("It is the long", texts, [{ type: "prefilled" }]);
    expect(await prefilled(["est river."])).toBe("est river.");
    expect(await prefilled(["long", " river."])).toBe("long river.");
    expect(await prefilled(["It is", " the long", "est river."])).toBe("est river.");
    expect(await prefilled(["It is"])).toBe("It is");
    // Of a short text, the same characters may be what follows it: 1 and 10.
    expect(await continued("1", ["10"], [{ type: "prefilled" }])).toBe("10");
  });

  it("passes held text on when the model stops, and leaves calls and reasoning unchanged", async () => {
    const call: ModelEvent = { type: "tool-call", toolCallId: "1", toolName: "calculate", argsText: "{}" };
    const events = await all(
      trimRepeat(
        written,
        streamOf([{ type: "reasoning", text: "hm" }, { type: "text", text: "Rivers" }, call]),
      ),
    );
    expect(events).toEqual([{ type: "reasoning", text: "hm" }, { type: "text", text: "Rivers" }, call]);
  });
});

async function continued(before: string, texts: string[], first: ModelEvent[] = []): Promise<string> {
  const finish: ModelEvent = { type: "finish", reason: "stop", usage: {} };
  const events = await all(
    trimRepeat(
      before,
      streamOf([...first, ...texts.map((text): ModelEvent => ({ type: "text", text })), finish]),
    ),
  );
  expect(events.at(-1)).toEqual(finish);
  return events.map((event) => (event.type === "text" ? event.text : "")).join("");
}

async function* streamOf(events: ModelEvent[]): AsyncGenerator<ModelEvent> {
  yield* events;
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}
