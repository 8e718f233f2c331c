import { expect } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

const call = (args: object) => `tool=artifact(${JSON.stringify(args)})`;

test("opens what the artifact tool makes and changes, in all its versions", async ({ page }) => {
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
  const { href } = new URL(page.url());
  await panel.getByRole("button", { name: "Previous version" }).click();
  await panel.getByText("First.").waitFor();
  await page.waitForURL((url) => url.href !== href);
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
});

test("shows what the artifact tool makes while the model writes it, in the answer and in the panel", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  const { ask, answers, settled } = chat(page);
  const hostile = `<img src=x onerror="document.title='run'"><script>document.title = "run"</script>`;
  const content = `<title>Page</title>\n${hostile}\n${"<p>Some words of a page.</p>\n".repeat(60)}<p>The end.</p>`;
  const args = { action: "create", title: "Clock", language: "html", content };
  await ask(`tokens=2 ${call(args)} pieces=200 gap=25`);
  const answer = answers.first();
  await answer.getByText("create, Clock, html").waitFor();
  const block = answer.getByRole("figure", { name: "HTML" });
  await block.getByText("onerror").waitFor();
  await block.getByRole("button", { name: "Open" }).click();
  const panel = page.getByRole("region", { name: "Panel" });
  await panel.getByRole("heading", { name: "Clock" }).waitFor();
  const code = panel.locator("code");
  const seen = (await code.innerText()).length;
  await expect.poll(async () => (await code.innerText()).length).toBeGreaterThan(seen);
  expect(await panel.getByRole("tab", { name: "Code", selected: true }).count()).toBe(1);
  expect(await code.innerText()).not.toContain("The end.");
  const address = page.url();
  await settled();
  // The same panel has the finished page now, and the answer has its block once.
  await panel.getByRole("tab", { name: "Preview", selected: true }).waitFor();
  expect(page.url()).toBe(address);
  expect(await answer.getByRole("figure").count()).toBe(1);
  expect(await page.title()).not.toBe("run");
  await panel.getByRole("tab", { name: "Code" }).click();
  await panel.getByText("The end.").waitFor();
});
