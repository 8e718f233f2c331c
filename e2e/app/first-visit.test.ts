import { expect } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ model: false });

test("answers a first visitor without a key or an account, and shows the calculation", async ({ ada }) => {
  const { ask, answers, settled, threads } = chat(ada.page);
  await ask("15% of 240");
  await answers.first().getByText("36").first().waitFor();
  await settled();
  const call = answers.first().getByRole("button", { name: /calculate/i });
  await call.click();
  await answers.first().getByText("Arguments").waitFor();
  expect(ada.page.url()).toMatch(/\/t\/thread_0[0-9a-z]{24}$/);
  await threads.getByRole("link", { name: /15\s?%|240/ }).waitFor();
  // Only those who can connect a model are asked to.
  expect(await ada.page.getByRole("link", { name: "Connect a model" }).count()).toBe(0);
});

test("shows the thread again after a reload and by its address", async ({ ada }) => {
  const { ask, answers, questions, settled } = chat(ada.page);
  await ask("2+2");
  await settled();
  await answers.first().getByText("4").first().waitFor();
  await ada.page.reload();
  await questions.first().getByText("2+2").waitFor();
  await answers.first().getByText("4").first().waitFor();
  expect(await answers.count()).toBe(1);
});

test("shows a not-found page", async () => {
  const ada = await visit(environment.browser, environment.server.url, {
    path: "/t/thread_0000000000000000000000000",
    networkErrorsExpected: true,
  });
  await ada.page.getByRole("heading", { name: "Chat not found", level: 1 }).waitFor();
  await ada.page.waitForFunction(() => document.activeElement?.id === "main");
  expect(await chat(ada.page).questions.count()).toBe(0);
});

test("signs in as the owner with the printed link, and removes the secret from the address", async () => {
  const owner = await visit(environment.browser, environment.server.url, {
    path: environment.server.ownerLink,
  });
  await owner.page.waitForURL(`${environment.server.url}/`);
  const me = await owner.page.evaluate(async () => {
    const answer = await fetch("/v1/auth/me", { headers: { "Parlance-Client": "web" } });
    return (await answer.json()) as { kind: string };
  });
  expect(me.kind).toBe("admin");
  const { ask, settled, threads } = chat(owner.page);
  await ask("3+4");
  await settled();
  await threads.getByRole("link", { name: /3\s?\+\s?4/ }).waitFor();
  await owner.page.getByRole("main").getByRole("link", { name: "Connect a model" }).click();
  await owner.page.waitForURL("**/settings/models");
});
