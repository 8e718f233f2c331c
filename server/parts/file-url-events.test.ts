import { expect, test } from "vitest";
import { newId } from "#contract/ids.ts";
import type { Part } from "#contract/parts/kinds.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { createFileUrls } from "../lib/file-urls/file-urls.ts";
import { createSecretFilter } from "./file-url-events.ts";

const base = "https://chat.example";
const file = { id: newId("file"), secret: "0123456789abcdefghjkmnpqrs", name: "garden.png" };
const urls = createFileUrls("a test secret");
const permanent = urls.permanent(base, file);
const temporary = urls.temporary(base, file, 1_900_000_000_000);
const own = `${base}/v1/files/${file.id}/content`;

const delta = (text: string, part = 0): RunEvent => ({ type: "text-delta", part, text });
const numbered = (events: RunEvent[]) => events.map((event, index) => ({ seq: index + 1, event }));

/** What the filter makes of events that arrive one by one. */
function filtered(events: RunEvent[]) {
  const filter = createSecretFilter();
  return numbered(events).flatMap((entry) => filter([entry]));
}

function textOf(entries: { event: RunEvent }[], part = 0): string {
  return entries
    .map(({ event }) => (event.type === "text-delta" && event.part === part ? event.text : ""))
    .join("");
}

test("an address that a model writes in pieces loses its secret, wherever it is split", () => {
  for (const [address, whole] of [
    [permanent, own],
    [temporary, own],
  ] as const)
    for (const more of ["", ") is it."]) {
      const text = `Look: ${address}${more}`;
      for (let at = 1; at < text.length; at++)
        for (const size of [at, text.length]) {
          const events: RunEvent[] = [
            delta(text.slice(0, at)),
            delta(text.slice(at, at + size)),
            delta(text.slice(at + size)),
            { type: "text-end", part: 0 },
          ];
          const entries = filtered(events);
          expect(entries.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
          expect(textOf(entries).replace(`Look: ${base}`, "Look: ")).toBe(
            `Look: ${whole.slice(base.length)}${more}`,
          );
          // Nobody sees another text for the same number because the entries came together.
          expect(createSecretFilter()(numbered(events))).toEqual(entries);
        }
    }
});

test("the beginning of a secret never shows, also between the events of other parts", () => {
  const cut = permanent.indexOf(file.secret) + 13;
  const events: RunEvent[] = [
    delta(`It is ${permanent.slice(0, cut)}`),
    delta("Meanwhile", 1),
    delta(`${permanent.slice(cut)} now`),
    delta(`and ${permanent.slice(0, cut)}`, 1),
    { type: "run-end", state: "cancelled", finish_reason: "stop", usage: {} },
  ];
  const entries = filtered(events);
  expect(entries.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  expect(JSON.stringify(entries)).not.toContain(file.secret.slice(0, 8));
  expect(textOf(entries)).toContain(`/v1/files/${file.id}/content now`);
  expect(textOf(entries, 1)).toBe(`Meanwhileand ${base}`);
});

test("an answer that continues in the middle of an address shows nothing of its secret", () => {
  const start = { type: "run-start", reply_id: newId("message"), model: null } as const;
  for (let at = 1; at < permanent.length - file.name.length; at++) {
    const [begun, rest] = [permanent.slice(0, at), permanent.slice(at)];
    const content: Part[] = [{ type: "text", text: `It is ${begun}` }];
    for (const events of [
      [delta(`It is ${begun}`), { type: "text-end", part: 0 }, { type: "run-resume", at: 0 }],
      [{ ...start, content }],
    ] satisfies RunEvent[][]) {
      const entries = filtered([
        ...events,
        delta(rest.slice(0, 9)),
        delta(`${rest.slice(9)} now`),
        delta("!"),
      ]);
      expect(JSON.stringify(entries)).not.toContain(file.secret.slice(-10));
      expect(textOf(entries)).toMatch(/ now!$/);
    }
  }
});

test("a text that only begins like an address is not kept back for ever", () => {
  const filter = createSecretFilter();
  const text = `/v1/content/file_0${"a".repeat(300)}`;
  expect(textOf(filter(numbered([delta(text)])))).toBe(text);
});

test("other text is not kept back for longer than one event", () => {
  const filter = createSecretFilter();
  expect(filter(numbered([delta("Either/")]))).toEqual([]);
  expect(textOf(filter([{ seq: 2, event: delta("or, at /v1/content/ there") }]))).toBe(
    "Either/or, at /v1/content/ there",
  );
});
