import { afterAll, beforeAll, expect, test } from "vitest";
import { chat, eventually, wordsOf } from "./support/chat.ts";
import { openStage } from "./support/stage.ts";
import { startServer, type ServerProcess } from "./support/server.ts";
import { visit } from "./support/visit.ts";

const stage = openStage();

test("shows nothing of the visitor any more, in any tab, once the browser is the owner's", async () => {
  const ada = await visit(stage.browser, stage.server.url, { lossesExpected: true });
  const { ask, settled, threads, questions } = chat(ada.page);
  await ask("Written as a visitor tokens=3");
  await settled();
  await threads.getByRole("listitem").first().waitFor();
  const second = await ada.tab(stage.server.ownerLink);
  await second.waitForURL(`${stage.server.url}/`);
  await threads.getByRole("listitem").first().waitFor({ state: "detached" });
  await ada.page.getByText("There is no such thread").waitFor();
  expect(await questions.count()).toBe(0);

  // Both tabs go on as the owner, and hear each other.
  const owner = chat(second);
  await owner.ask("Written as the owner tokens=3");
  await owner.settled();
  await threads.getByRole("listitem").first().waitFor();
  await ada.end();
});

let elsewhere: ServerProcess;
beforeAll(async () => {
  elsewhere = await startServer({ PARLANCE_BASE_URL: stage.server.url });
});
afterAll(async () => await elsewhere.close());

test("talks with a service on another origin by a bearer, live and in every tab", async () => {
  const ada = await visit(stage.browser, elsewhere.url, { service: stage.server.url });
  const first = chat(ada.page);
  await first.ask("Tell me from afar tokens=40 gap=30");
  await eventually(
    async () => (await first.answers.first().innerText()).length,
    (length) => expect(length).toBeGreaterThan(30),
  );
  const second = chat(await ada.tab(new URL(ada.page.url()).pathname));
  await second.answers.first().waitFor();
  await Promise.all([first.settled(), second.settled()]);
  expect(await wordsOf(second.answers.first())).toBe(await wordsOf(first.answers.first()));
  expect(ada.requests.filter((request) => request.includes("/v1/auth/tokens/anonymous"))).toHaveLength(1);
  expect(await ada.context.cookies()).toEqual([]);
  await ada.page.reload();
  await first.answers.first().waitFor();
  expect(ada.requests.filter((request) => request.includes("/v1/auth/tokens/anonymous"))).toHaveLength(1);
  await ada.end();
});
