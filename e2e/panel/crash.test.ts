import { expect, test } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ ownServer: true });

const lines = (first: string, count: number) =>
  `# ${first}\n${Array.from({ length: count }, (_, i) => `print(${i})`).join("\n")}`;
const block = (code: string) => `\`\`\`python title="Long"\n${code}\n\`\`\`\n\n`;
const call = (content: string) =>
  `tool=artifact(${JSON.stringify({ action: "create", title: "Long", language: "python", content })})`;

test.each([
  ["an artifact", `${block(lines("two", 200))}gap=60\necho`],
  ["a call of the artifact tool", `${call(lines("two", 200))} pieces=400 gap=60`],
])(
  "keeps the panel, its version and what was written when the server crashes during %s",
  async (_, question) => {
    const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
    const { page } = ada;
    const { ask, answers, settled } = chat(page);
    await ask(`${block(lines("one", 20))}echo`);
    await settled();
    await ask(question);
    await answers.nth(1).getByRole("button", { name: "Open" }).click();
    const panel = page.getByRole("region", { name: "Panel" });
    const code = panel.locator("code");
    // Long code is laid out in pieces, which the browser separates with empty lines here, and lays out a frame later.
    const shown = async () => (await code.innerText()).replaceAll(/\n+/g, "\n").trim();
    await expect.poll(async () => (await shown()).length).toBeGreaterThan(60);
    await environment.server.kill();
    const seen = await shown();
    expect(seen).toContain("# two");
    await environment.server.restart();
    await answers.last().getByText("The server stopped during this answer.").waitFor({ timeout: 40_000 });
    await expect.poll(shown).toContain(seen);
    await page.reload();
    await panel.getByText("Version 2 of 2").waitFor();
    await expect.poll(shown).toContain(seen);
    await panel.getByRole("button", { name: "Previous version" }).click();
    await panel.getByText("# one").waitFor();
  },
);
