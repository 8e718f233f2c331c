import { expect, test } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

const call = (args: object) => `tool=artifact(${JSON.stringify(args)})`;

test("opens what the artifact tool makes and changes, in all its versions", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  const { ask, answers, settled } = chat(page);
  const content = `# Notes\n\nFirst.\n\n${"More words. ".repeat(30)}`;
  const change = (from: string, to: string) =>
    call({ action: "update", title: "Notes", changes: [{ old: from, new: to }] });
  await ask(
    `tokens=2 ${call({ action: "create", title: "Notes", language: "markdown", content })} ${change("First.", "Second.")}`,
  );
  await settled();
  // The line of a call has its short arguments only.
  const line = answers.first().getByText("create, Notes, markdown");
  await line.waitFor();
  await answers.first().getByRole("button", { name: "Open" }).nth(1).click();
  const panel = page.getByRole("region", { name: "Panel" });
  await panel.getByText("Version 2 of 2").waitFor();
  await panel.getByText("Second.").waitFor();
  await page.reload();
  await panel.getByText("Second.").waitFor();
  await panel.getByRole("button", { name: "Previous version" }).click();
  await panel.getByText("First.").waitFor();
  await page.reload();
  await panel.getByText("First.").waitFor();
  await answers.first().getByRole("button", { name: "Open" }).nth(0).click();
  await panel.getByText("Version 1 of 2").waitFor();
  await ask(`tokens=2 ${change("Second.", "Third.")}`);
  await settled();
  await panel.getByText("Version 1 of 3").waitFor();

  // A person goes on where the tool ended.
  await panel.getByRole("slider").press("End");
  await panel.getByText("Third.").waitFor();
  await panel.getByRole("tab", { name: "Edit" }).click();
  await panel.getByRole("textbox", { name: "Edit Notes" }).click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type(" By hand.");
  await page.keyboard.press("ControlOrMeta+s");
  await panel.getByText("Version 4 of 4").waitFor();
  await panel.getByText("By hand.").waitFor();
  await ask(`tokens=2 ${change("By hand.", "Fourth.")}`);
  await panel.getByText("Version 5 of 5").waitFor();
  await panel.getByText("Fourth.").waitFor();
  expect(await answers.last().getByText("not in the artifact").count()).toBe(0);
  await ada.end();
});
