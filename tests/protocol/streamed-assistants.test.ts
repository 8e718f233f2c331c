import { describe, expect } from "vitest";
import type { BodyInputOf } from "#contract/api.ts";
import { describeServer, test } from "../support/servers/server.ts";

describeServer("an answer of an assistant, streamed to a protocol client", { model: true }, (server) => {
  const create = async (body: BodyInputOf<"assistants.create">) =>
    (await (await server().owner()).call("assistants.create", { body })).assistant.id;

  const question = (assistant_id: string, text: string, resumable: boolean) => ({
    thread_id: "unstable_todo",
    assistant_id,
    messages: [{ role: "user", content: [{ type: "text", text }] }],
    resumable,
  });

  describe.each([true, false])("resumable: %s", (resumable) => {
    test("has the assistant's reasoning effort, if its model has efforts", async ({ owner }) => {
      const models = ["gpt-5", "gpt-4.1"].map((id) => ({ id, name: "" }));
      const { provider } = await owner.call("providers.create", {
        body: {
          kind: "openai",
          name: `Resumable ${String(resumable)}`,
          base_url: server().model.url,
          api_key: "sk-0000",
          models,
        },
      });
      for (const [id, effort] of [
        ["gpt-5", "high"],
        ["gpt-4.1", undefined],
      ] as const) {
        const assistant_id = await create({
          name: "Thinker",
          model: `${provider.id}/${id}`,
          parameters: { reasoning_effort: "high" },
        });
        const words = `Think ${crypto.randomUUID()} tokens=2`;
        await server()
          .inNewWorkspace()
          .ask("runs.stream", { body: question(assistant_id, words, resumable) });
        const [asked] = await server().requestsWith(words);
        expect((asked?.body?.reasoning as { effort?: string } | undefined)?.effort).toBe(effort);
      }
    });

    test("is of the fallback model if the first one fails before its first token", async ({ ada }) => {
      const parameters = { fallback_model: "env/fixture-1" };
      const assistant_id = await create({ name: "Careful", model: "fixture-2", parameters });
      const words = `Try ${crypto.randomUUID()} status=503 retry-after=60 times=1 tokens=3`;
      const { text, headers } = await ada.ask("runs.stream", {
        body: question(assistant_id, words, resumable),
        headers: { Accept: "text/event-stream" },
      });
      expect(text.match(/"type":"text-delta"/g)).not.toBeNull();
      expect(text).toMatch(/"type":"finish","finishReason":"stop"[^\n]*\n\ndata: \[DONE\]\n\n$/);
      const requests = await server().requestsWith(words);
      expect(requests.map(({ body }) => body?.model)).toEqual(["fixture-2", "fixture-1"]);
      const runId = headers.get("x-resumable-stream-id") ?? /run_0\w{24}/.exec(text)?.[0] ?? "";
      const { run } = await ada.call("runs.get", { params: { run_id: runId } });
      expect(run).toMatchObject({ state: "completed", model: "env/fixture-1" });
      const broken = await ada.ask("runs.stream", {
        body: question(assistant_id, `Break ${crypto.randomUUID()} die=2 tokens=5`, resumable),
        headers: { Accept: "text/event-stream" },
      });
      expect(broken.text).toContain('"type":"error"');
    });
  });
});
