import { expect, test } from "vitest";
import type { Database } from "#storage/database/database.ts";
import type { TextStream, Visitor } from "../lib/route.ts";
import type { Logger } from "../lib/logger.ts";
import { systemClock } from "../lib/clock.ts";
import type { Assistants } from "../assistants/assistants.ts";
import { fullAccess } from "../people/rights/access.ts";
import type { PrepareModules } from "../runs/prepare/prepared-run.ts";
import type { FindModel } from "./find-model.ts";
import { createChat } from "./chat.ts";

const visitor = { userId: "user", workspaceId: "workspace", appId: "app" } as Visitor;

test.for([0, 1, 2])("a client that leaves after %i chunks reserves nothing any more", async (count) => {
  const open = new Set<string>();
  const model = {
    info: { id: "fixture" },
    async *stream() {
      open.add("request");
      try {
        for (;;) yield { type: "text", text: "word " };
      } finally {
        open.delete("request");
      }
    },
  };
  const chat = createChat({
    db: {} as Database,
    clock: systemClock,
    logger: {} as Logger,
    prepare: {
      modelRules: { limit: async () => ({ model, access: fullAccess("member") }) },
      stepsMax: async () => 1,
      tools: [],
    } as unknown as PrepareModules,
    assistants: {} as Assistants,
    models: {
      find: async () => ({ model, assistant: undefined, estimate: { tokens: 1, costMicros: 0 } }),
    } as unknown as FindModel,
    reserve: async () => {
      open.add("reservation");
      return async () => void open.delete("reservation");
    },
  });
  const body = { model: "fixture", stream: true, messages: [{ role: "user" as const, content: "Go" }] };
  const { chunks } = (await chat.answer(visitor, body, new AbortController().signal)) as TextStream;
  expect([...open]).toEqual(["reservation", "request"]);
  // As the response does: it reads a chunk, cannot write it, and stops.
  const reader = chunks[Symbol.asyncIterator]();
  for (let at = 0; at <= count; at++) await reader.next();
  await reader.return?.();
  expect([...open]).toEqual([]);
});
