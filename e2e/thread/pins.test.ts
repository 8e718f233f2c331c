import { expect, test } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ contextTokens: 60_000 });

test("a pinned message is marked, and models read it after a summary", async () => {
  const { browser, server, model } = environment;
  const ada = await visit(browser, server.url, { width: 390, height: 844 });
  const { page } = ada;
  const { ask, settled, questions } = chat(page);
  for (const text of ["Willows bend tokens=3", "Poplars stand tokens=3", "Hazels give nuts tokens=3"]) {
    await ask(text);
    await settled();
  }
  const pinOf = (at: number) => questions.nth(at).getByRole("button", { name: "Pin", exact: true });
  await questions.first().hover();
  await pinOf(0).click();
  await expect.poll(async () => await pinOf(0).getAttribute("aria-pressed")).toBe("true");
  await page.reload();
  await questions.nth(2).waitFor();
  expect(await pinOf(0).getAttribute("aria-pressed")).toBe("true");
  expect(await pinOf(1).getAttribute("aria-pressed")).toBe("false");
  // The mark is visible without a pointer on the message.
  await page.mouse.move(0, 0);
  expect(await pinOf(0).evaluate((button) => getComputedStyle(button).opacity)).toBe("1");

  const threadId = new URL(page.url()).pathname.split("/").at(-1)!;
  await page.evaluate(async (id) => {
    const response = await fetch(`/v1/threads/${id}/summaries`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "Parlance-Client": "web" },
      body: "{}",
    });
    if (!response.ok) throw new Error(await response.text());
  }, threadId);
  await ask("And birches? tokens=2");
  await settled();
  const sent = JSON.stringify(
    model.requests.findLast(({ body }) => JSON.stringify(body ?? "").includes("And birches?"))!.body,
  );
  expect(sent).toContain("Willows bend");
  expect(sent).toContain("The person pinned 1 of these messages.");

  await questions.first().hover();
  await pinOf(0).click();
  await expect.poll(async () => await pinOf(0).getAttribute("aria-pressed")).toBe("false");
});
