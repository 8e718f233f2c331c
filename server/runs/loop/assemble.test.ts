import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fold } from "#contract/fold.ts";
import type { Part, WholePart } from "#contract/parts/kinds.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { runStart } from "#tests/support/data/run-events.ts";
import type { ModelEvent } from "#server/models/model.ts";
import { createAssembler } from "./assemble.ts";

function stoppedClock() {
  const clock = { nowMs: 1_000, now: () => clock.nowMs, sleep: async () => {} };
  return clock;
}

function assembled(events: ModelEvent[], before: Part[] = []): RunEvent[] {
  const assembler = createAssembler({ clock: stoppedClock(), before });
  return [...events.flatMap((event) => assembler.take(event)), ...assembler.close()];
}

const text = (words: string): ModelEvent => ({ type: "text", text: words });
const thought = (words: string): ModelEvent => ({ type: "reasoning", text: words });
const call = (toolCallId: string, argsText = "{}"): ModelEvent => ({
  type: "tool-call",
  toolCallId,
  toolName: "reckon",
  argsText,
});
const source: WholePart = {
  type: "source",
  sourceType: "url",
  id: "s",
  url: "https://a.example",
  title: "A",
};
const finish: ModelEvent = { type: "finish", reason: "stop", usage: { output: 1 } };

describe("the run events of a model's events", () => {
  test("start, extend and end one part after another, each with its own index", () => {
    const events = assembled([
      thought("Hm"),
      thought("m."),
      text("Hello"),
      text(" there"),
      call("1"),
      text("Done"),
      finish,
    ]);
    expect(events.map((event) => [event.type, "part" in event ? event.part : undefined])).toEqual([
      ["reasoning-start", 0],
      ["reasoning-delta", 0],
      ["reasoning-delta", 0],
      ["reasoning-end", 0],
      ["text-start", 1],
      ["text-delta", 1],
      ["text-delta", 1],
      ["text-end", 1],
      ["tool-call-start", 2],
      ["tool-call-delta", 2],
      ["tool-call-end", 2],
      ["text-start", 3],
      ["text-delta", 3],
      ["text-end", 3],
      ["step-end", undefined],
    ]);
  });

  test("end every part before the next begins and lose no text, whatever the order", () => {
    const event: fc.Arbitrary<ModelEvent> = fc.oneof(
      fc.string().map(text),
      fc.string().map(thought),
      fc.constantFrom("1", "2").map((id) => call(id)),
      fc
        .constantFrom("1", "2")
        .map((toolCallId): ModelEvent => ({ type: "tool-call-start", toolCallId, toolName: "reckon" })),
      fc
        .constantFrom("1", "2")
        .map((toolCallId): ModelEvent => ({ type: "tool-call-delta", toolCallId, argsText: "{" })),
      fc.constant<ModelEvent>({ type: "part", part: source }),
      fc.constant(finish),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), (modelEvents) => {
        const events = assembled(modelEvents);
        let open: number | undefined;
        let lastPart = -1;
        for (const each of events) {
          if (each.type === "text-start" || each.type === "reasoning-start") {
            expect(open).toBeUndefined();
            open = each.part;
          }
          if (each.type === "text-end" || each.type === "reasoning-end") {
            expect(each.part).toBe(open);
            open = undefined;
          }
          if ("part" in each && each.part > lastPart) {
            expect(each.part).toBe(lastPart + 1);
            lastPart = each.part;
          }
        }
        expect(open).toBeUndefined();
        const parts = fold([runStart, ...events]).parts;
        const assembledText = (type: "text" | "reasoning") =>
          parts.map((part) => (part.type === type ? (part as { text: string }).text : "")).join("");
        const modelText = (type: "text" | "reasoning") =>
          modelEvents.map((each) => (each.type === type ? each.text : "")).join("");
        expect([assembledText("text"), assembledText("reasoning")]).toEqual([
          modelText("text"),
          modelText("reasoning"),
        ]);
      }),
    );
  });

  test("have no part for empty text", () => {
    expect(assembled([text(""), thought(""), text("")])).toEqual([]);
  });

  test("have the duration of reasoning", () => {
    const clock = stoppedClock();
    const assembler = createAssembler({ clock, before: [] });
    assembler.take(thought("Hm"));
    clock.nowMs += 250;
    expect(assembler.close()).toEqual([{ type: "reasoning-end", part: 0, duration_ms: 250 }]);
    expect(assembler.close()).toEqual([]);
  });

  test("start a call at its first chunk and append the chunks of its arguments", () => {
    const events = assembled([
      { type: "tool-call-start", toolCallId: "1", toolName: "reckon" },
      { type: "tool-call-delta", toolCallId: "1", argsText: '{"a"' },
      { type: "tool-call-delta", toolCallId: "1", argsText: "" },
      { type: "tool-call-delta", toolCallId: "1", argsText: ":1}" },
      call("1", '{"a":1}'),
    ]);
    expect(events).toEqual([
      { type: "tool-call-start", part: 0, tool_call_id: "1", tool_name: "reckon", at: 1_000 },
      { type: "tool-call-delta", part: 0, args_text: '{"a"' },
      { type: "tool-call-delta", part: 0, args_text: ":1}" },
      { type: "tool-call-end", part: 0 },
    ]);
  });

  test("keep the arguments of parallel calls apart", () => {
    const events = assembled([
      { type: "tool-call-start", toolCallId: "1", toolName: "reckon" },
      { type: "tool-call-start", toolCallId: "2", toolName: "reckon" },
      { type: "tool-call-delta", toolCallId: "2", argsText: "[2]" },
      { type: "tool-call-delta", toolCallId: "1", argsText: "[1]" },
      { type: "tool-call-delta", toolCallId: "nobody", argsText: "[3]" },
      call("1", "[1]"),
      call("2", "[2]"),
    ]);
    expect(fold([runStart, ...events]).parts).toMatchObject([
      { toolCallId: "1", argsText: "[1]" },
      { toolCallId: "2", argsText: "[2]" },
    ]);
  });

  test("give a call another id if the model uses one twice", () => {
    const assembler = createAssembler({ clock: stoppedClock(), before: [] });
    assembler.take(call("1"));
    expect(assembler.takeCalls().map(({ toolCallId }) => toolCallId)).toEqual(["1"]);
    assembler.take(call("1"));
    assembler.take(call("1"));
    expect(assembler.takeCalls().map(({ toolCallId, part }) => [toolCallId, part])).toEqual([
      ["1_2", 1],
      ["1_3", 2],
    ]);
    expect(assembler.takeCalls()).toEqual([]);
  });

  test("add complete parts of every kind", () => {
    const parts: WholePart[] = [
      source,
      { type: "image", image: "data:image/png;base64,AA==" },
      { type: "file", data: "data:application/pdf;base64,AA==", mimeType: "application/pdf" },
      { type: "audio", audio: { data: "AA==", format: "wav" } },
      { type: "data", name: "chart", data: [1] },
    ];
    const events = assembled([text("See"), ...parts.map((part): ModelEvent => ({ type: "part", part }))]);
    expect(fold([runStart, ...events]).parts).toEqual([{ type: "text", text: "See" }, ...parts]);
  });

  test("continue an interrupted text in its own part, and nothing else", () => {
    const before: Part[] = [
      { type: "reasoning", text: "Hm" },
      { type: "text", text: "Once" },
    ];
    const start: RunEvent = { ...runStart, content: before } as RunEvent;
    expect(fold([start, ...assembled([text(" upon")], before)]).parts).toEqual([
      before[0],
      { type: "text", text: "Once upon" },
    ]);
    expect(fold([start, ...assembled([thought("So"), text("a time")], before)]).parts).toEqual(
      [...before, { type: "reasoning", text: "So", ...({} as object) }, { type: "text", text: "a time" }].map(
        (part) => expect.objectContaining(part) as unknown,
      ),
    );
  });
});
