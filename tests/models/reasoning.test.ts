import { describe, expect, test } from "vitest";
import { fold, waitingCalls } from "#contract/fold.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { approvalTools } from "../support/servers/approval-tools.ts";
import { branchOf, readWholeLog, startRun } from "../support/clients/conversation.ts";
import { engines } from "../support/postgres/postgres.ts";
import { adaOn, modelForTest, placeForTest, serverForTest } from "../support/test-scope.ts";
import type { Visitor } from "../support/clients/visitor.ts";

/** The kinds whose models sign their reasoning, and the field with the signature. */
const kinds = [
  { kind: "anthropic", model: "claude-5", signed: /"signature":"([^"]+)"/g },
  { kind: "openai", model: "gpt-5", signed: /"encrypted_content":"([^"]+)"/g },
  { kind: "google", model: "gemini-3", signed: /"thoughtSignature":"([^"]+)"/g },
] as const;

describe.for(engines)("the reasoning of models with tools (%s)", (engine) => {
  test.for(kinds)(
    "returns to $kind in every step, after a restart and when the answer is continued",
    async ({ kind, model, signed }) => {
      const place = await placeForTest(engine);
      const service = await modelForTest();
      const start = async () => await serverForTest({ engine, place, tools: approvalTools() });
      const first = await start();
      const baseUrl = kind === "google" ? service.url.replace("/v1", "/v1beta") : service.url;
      await (
        await first.owner()
      ).call("providers.create", {
        body: { kind, name: kind, base_url: baseUrl, api_key: "sk-0000", models: [{ id: model, name: "" }] },
      });
      const question =
        'Add. think=3 rounds=2 tool=calculate("1+1") tool=send_letter({"to":"Ann"})\nendless gap=5';
      const talk = await startRun(adaOn(first), question);
      await approve(adaOn(first), talk.run_id, await untilWaiting(adaOn(first), talk.run_id, 1));
      const waiting = await untilWaiting(adaOn(first), talk.run_id, 2);
      await first.close();

      const second = await start();
      const ada = adaOn(second);
      await approve(ada, talk.run_id, waiting);
      await (await ada.events(talk.run_id)).until(({ data }) => data.type === "text-delta");
      await ada.call("runs.stop", { params: { run_id: talk.run_id } });
      await readWholeLog(ada, talk.run_id);
      const going = await ada.call("runs.continue", { params: { run_id: talk.run_id }, body: {} });
      const log = await readWholeLog(ada, going.run_id);
      expect(fold(log).end?.state).toBe("completed");

      const requests = service.requests.filter(({ body }) =>
        JSON.stringify(body ?? "").includes("Add. think"),
      );
      const answers = requests.filter(({ body }) => !JSON.stringify(body).includes("title of at most"));
      expect(answers.map(({ ended }) => ended)).not.toContain("failed");
      const signatures = answers.map(({ body }) =>
        [...JSON.stringify(body).matchAll(signed)].map(([, signature]) => signature!),
      );
      // The fixture refuses a wrong signature, and a step with tool calls that has none.
      expect(signatures.map(({ length }) => length)).toEqual([0, 1, 2, 2]);

      const branch = JSON.stringify(await branchOf(ada, talk.thread_id));
      const exported = await ada.send("GET", `/v1/threads/${talk.thread_id}/export?format=json`);
      const listed = await ada.send("GET", `/v1/threads/${talk.thread_id}/messages`);
      const shown = [branch, JSON.stringify(log), exported.text, listed.text].join();
      for (const signature of signatures.flat()) expect(shown).not.toContain(signature);
    },
  );
});

/** The ids of the calls that wait for the person, once the run waits for the nth time. */
async function untilWaiting(who: Visitor, runId: string, times: number): Promise<string[]> {
  const stream = await who.events(runId);
  let waits = 0;
  const seen = await stream.until(({ data }) => data.type === "run-wait" && ++waits === times);
  stream.close();
  const events: RunEvent[] = seen.map(({ data }) => data);
  return waitingCalls(fold(events)).map(({ call }) => call.toolCallId);
}

async function approve(who: Visitor, runId: string, ids: readonly string[]): Promise<void> {
  expect(ids).toHaveLength(1);
  await who.call("runs.approve", {
    params: { run_id: runId },
    body: { tool_call_id: ids[0]!, approved: true },
  });
}
