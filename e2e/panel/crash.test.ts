import { expect, test } from "vitest";
import { chat, eventually } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

test("keeps the panel, its version and what was written when the server crashes during an artifact", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  const { page } = ada;
  const { ask, answers, settled } = chat(page);
  const block = (first: string, count: number) =>
    `\`\`\`python title="Long"\n# ${first}\n${Array.from({ length: count }, (_, i) => `print(${i})`).join("\n")}\n\`\`\``;
  await ask(`${block("one", 20)}\n\necho`);
  await settled();
  await ask(`${block("two", 200)}\n\ngap=60\necho`);
  await answers.nth(1).getByRole("button", { name: "Open" }).click();
  const panel = page.getByRole("region", { name: "Panel" });
  const code = panel.locator("code");
  await eventually(
    async () => await code.innerText(),
    (text) => expect(text.length).toBeGreaterThan(60),
  );
  await environment.server.kill();
  const seen = (await code.innerText()).slice(0, 50);
  expect(seen).toContain("# two");
  await environment.server.restart();
  await answers.last().getByText("The server stopped during this answer.").waitFor({ timeout: 40_000 });
  expect(await code.innerText()).toContain(seen);
  await page.reload();
  await panel.getByText("Version 2 of 2").waitFor();
  expect(await code.innerText()).toContain(seen);
  await panel.getByRole("button", { name: "Previous version" }).click();
  await panel.getByText("# one").waitFor();
  await ada.end();
});
