import { expect, test } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { storeThread } from "../support/store-thread.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

test("an answer that another app writes is marked as such, and as interrupted when that app is silent for half a minute", async () => {
  const { browser, server } = environment;
  const ada = await visit(browser, server.url);
  const { page } = ada;
  const path = await storeThread(page, [
    { role: "user", content: [{ type: "text", text: "What grows in the shade?" }] },
  ]);
  await page.goto(path);
  const { questions, answers } = chat(page);
  await questions.first().waitFor();
  const questionId = await questions.first().getAttribute("data-message-id");
  const threadId = path.split("/").at(-1)!;
  /** As a client of the protocol in another tab. */
  const send = async (method: string, rest: string, body: object) =>
    await page.evaluate(
      async ([url, init]) => {
        const headers = { "Content-Type": "application/json", "Parlance-Client": "web" };
        const response = await fetch(url, { ...init, headers });
        if (!response.ok) throw new Error(await response.text());
        return (await response.json()) as { message_id: string; lease_id: string };
      },
      [`/v1/threads/${threadId}${rest}`, { method, body: JSON.stringify(body) }] as const,
    );
  const content = (text: string) => ({ role: "assistant", content: [{ type: "text", text }] });
  const { message_id: id, lease_id: lease } = await send("POST", "/messages", {
    parent_id: questionId,
    format: "aui/v0",
    content: content("Ferns"),
    open_run: true,
  });
  await answers.getByText("Ferns").waitFor();
  await answers.getByText("Another app is writing this answer.").waitFor();
  // It can be answered and regenerated, but not continued.
  expect(await answers.getByRole("button", { name: "Continue" }).count()).toBe(0);
  expect(await page.getByRole("button", { name: "Stop" }).count()).toBe(0);

  await send("PUT", `/messages/${id}`, { content: content("Ferns and moss"), lease_id: lease });
  await answers.getByText("Ferns and moss").waitFor();
  await answers.getByText("This answer was interrupted.").waitFor({ timeout: 45_000 });
  // The app was only asleep.
  await send("PUT", `/messages/${id}`, { content: content("Ferns, moss and ivy"), lease_id: lease });
  await answers.getByText("Ferns, moss and ivy").waitFor();
  await answers.getByText("Another app is writing this answer.").waitFor();
  await send("POST", `/runs/${lease}/end`, { reason: "done" });
  await answers.getByText("Another app is writing this answer.").waitFor({ state: "detached" });
  expect(await answers.getByText("This answer was interrupted.").count()).toBe(0);
}, 120_000);
