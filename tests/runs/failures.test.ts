import { describe, expect } from "vitest";
import { errors, type ErrorCode } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import type { ToolCallPart } from "#contract/parts/tool-call.ts";
import { describeServer, test } from "../support/servers/server.ts";
import { branchOf, sendAndWait, textOf, below } from "../support/clients/conversation.ts";

/** What the model does, the error code of the run, and how many words are stored. */
const failures: [string, ErrorCode, number][] = [
  ["die=5", "provider-broke-off", 5],
  ["cut=5", "provider-broke-off", 5],
  ["stall=5", "provider-silent", 5],
  ["fault=4 says=The_secret_reason_of_the_provider", "provider-broke-off", 4],
  ["reset", "provider-unreachable", 0],
  ["html", "provider-not-a-model", 0],
  ["status=401 says=The_secret_reason_of_the_provider", "provider-refused-key", 0],
  ["status=400 says=The_secret_reason_of_the_provider", "provider-refused", 0],
  ["status=429 retry-after=60", "provider-rate-limited", 0],
  ["status=503 retry-after=60", "provider-overloaded", 0],
  ["status=400 code=context_length_exceeded", "context-too-long", 0],
];

describeServer(
  "a run whose model fails",
  { model: true, settings: { MODEL_TIMEOUT_SECONDS: "3" }, modelTimeouts: { noOutputMs: 5_000 } },
  (server) => {
    test.for(failures)("by %s ends with %s and keeps %i words", async ([words, code, kept], { ada }) => {
      const bare = words.includes("=") ? words : `Please\n${words}`;
      const talk = await sendAndWait(ada, bare);
      const text = textOf(talk.reply.parts);
      expect(text === "" ? 0 : text.split(/\s+/).length, text).toBe(kept);
      expect(talk.reply.end).toMatchObject({
        state: "failed",
        finishReason: "error",
        error: { code, message: errors[code].message },
      });
      const [, message] = await branchOf(ada, talk.thread_id);
      expect(message).toMatchObject({
        status: { type: "incomplete", reason: "error", error_code: code },
        content: {
          content: talk.reply.parts,
          status: { type: "incomplete", reason: "error", error: errors[code].message },
        },
      });
      const { run } = await ada.call("runs.get", { params: { run_id: talk.run_id } });
      expect(run).toMatchObject({ state: "failed", error: { code, message: errors[code].message } });
      for (const response of [talk.reply, message, run])
        expect(JSON.stringify(response)).not.toMatch(/secret reason|127\.0\.0\.1/);
      // The thread can continue.
      const again = await sendAndWait(ada, "tokens=2", below(talk));
      expect(again.reply.end?.state).toBe("completed");
    });

    test.for([
      ["60", 60_000],
      // No countdown helps with the quota of a day.
      ["86400", undefined],
    ] as const)(
      "with a wait of %s s says when the wait ends, if it is up to an hour",
      async ([seconds, waitMs], { ada }) => {
        const startedAt = Date.now();
        const { reply, thread_id } = await sendAndWait(ada, `Please\nstatus=429 retry-after=${seconds}`);
        const retryAt = reply.end?.error?.retry_at;
        if (waitMs === undefined) expect(retryAt).toBeUndefined();
        else expect(retryAt! - startedAt - waitMs).toBeLessThan(30_000);
        if (waitMs !== undefined) expect(retryAt).toBeGreaterThanOrEqual(startedAt + waitMs);
        const [, message] = await branchOf(ada, thread_id);
        expect(message?.content.metadata).toEqual({
          custom: waitMs === undefined ? {} : { retry_at: retryAt },
        });
      },
    );

    test("by sending keep-alives without output ends with a timeout", async () => {
      const talk = await sendAndWait(server().inNewWorkspace(), "tokens=3 first=60000 comments=50");
      expect(talk.reply).toMatchObject({ parts: [], end: { error: { code: "provider-silent" } } });
    });

    describe("by never ending", () => {
      test("ends at the size limit", async ({ ada }) => {
        const talk = await sendAndWait(ada, "Please\nhuge endless");
        expect(talk.reply.end?.error?.code).toBe("answer-too-long");
        const { length } = textOf(talk.reply.parts);
        expect(length).toBeGreaterThan(limits.runBytesMax - 1024 * 1024);
        expect(length).toBeLessThanOrEqual(limits.runBytesMax);
      });

      test("ends at the step limit when it calls tools repeatedly", async ({ ada }) => {
        const talk = await sendAndWait(ada, 'Please tool=calculate("1+1")\nloop');
        expect(talk.reply.end?.error?.code).toBe("too-many-steps");
        expect(talk.reply.parts).toHaveLength(limits.runSteps);
      });
    });

    test.for([
      ["length", "length"],
      ["content_filter", "content-filter"],
    ])("by the finish reason %s has that reason on the message", async ([finish, reason], { ada }) => {
      const talk = await sendAndWait(ada, `tokens=4 finish=${finish}`);
      expect(talk.reply.end).toMatchObject({ state: "completed", finishReason: reason });
      const [, message] = await branchOf(ada, talk.thread_id);
      expect(message).toMatchObject({
        status: { type: "incomplete", reason, error_code: null },
        content: { status: { type: "incomplete", reason } },
      });
    });

    test("by tool arguments that are not JSON sends an error to the model, and keeps the arguments", async () => {
      const ada = server().inNewWorkspace();
      const { reply } = await sendAndWait(ada, 'Please tool=calculate("1+1")\nbad-args');
      const call = reply.parts[0] as ToolCallPart;
      expect(call).toMatchObject({
        type: "tool-call",
        isError: true,
        result: { error: "The arguments are not valid JSON." },
      });
      expect(call).not.toHaveProperty("args");
      expect(call.argsText).not.toBe("");
      expect(reply.end?.state).toBe("completed");
    });

    test("by an unknown tool sends an error to the model", async ({ ada }) => {
      const { reply } = await sendAndWait(ada, 'tool=teleport({"to":"Mars"})');
      expect(reply.parts[0]).toMatchObject({
        toolName: "teleport",
        isError: true,
        result: { error: "There is no tool named teleport." },
      });
      expect(reply.end?.state).toBe("completed");
    });

    test("by refusing tools gets the request again without them", async ({ ada }) => {
      const talk = await sendAndWait(
        ada,
        "tokens=3 status=400 says=this_model_does_not_support_tools times=1",
      );
      expect(talk.reply.end?.state).toBe("completed");
      expect(textOf(talk.reply.parts).split(/\s+/)).toHaveLength(3);
    });
  },
);

describeServer(
  "a run whose model cannot be reached",
  { settings: { OPENAI_BASE_URL: "http://127.0.0.1:9/v1" } },
  () => {
    test("has the error on the message", async ({ ada }) => {
      const talk = await sendAndWait(ada, "Hello?");
      expect(talk.reply.end?.error?.code).toBe("provider-unreachable");
      const { thread } = await ada.call("threads.get", { params: { thread_id: talk.thread_id } });
      expect(thread.title).toBe("Hello?");
    });
  },
);
