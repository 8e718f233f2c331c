import { AssistantCloud } from "assistant-cloud";
import { expect, test } from "vitest";
import { apiKey } from "#fixtures/people.ts";
import { takeUndocumented } from "./record-undocumented.ts";

test("what a client's package sends is recorded, and what a test sends itself is not", async () => {
  const nowhere = {
    baseUrl: "http://127.0.0.1:1",
    apiKey,
    userId: "ada",
    workspaceId: "org",
    telemetry: false,
  };
  const cloud = new AssistantCloud(nowhere);
  const thread = { last_message_at: new Date(), colour: "green" };
  await expect(cloud.threads.create(thread)).rejects.toThrow();
  await expect(fetch("http://127.0.0.1:1/v1/unknown")).rejects.toThrow();
  expect(takeUndocumented()).toEqual(["POST /v1/threads: body.colour"]);
});
