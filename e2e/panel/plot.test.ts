import { expect } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { violations } from "../support/violations.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

test("draws columns of a table as lines, bars and points, on a phone", async () => {
  const width = 390;
  const ada = await visit(environment.browser, environment.server.url, { width });
  const { page } = ada;
  const { ask, answers, settled } = chat(page);
  const rows = Array.from({ length: 12 }, (_, i) => `fruit ${i},${(i * 7) % 12}.5,${i * i}`);
  await ask(`# Prices\n\n\`\`\`csv\n${["fruit,price,sold", ...rows].join("\n")}\n\`\`\`\n\necho`);
  await settled();
  await answers.first().getByRole("button", { name: "Open" }).click();
  const panel = page.getByRole("region", { name: "Panel" });
  await panel.getByRole("button", { name: "Plot" }).press("Enter");
  const plot = panel.getByRole("region", { name: "Plot" });
  const canvas = plot.locator("canvas");
  const picture = async () => (await canvas.screenshot()).toString("base64");
  const changes = async (act: () => Promise<unknown>) => {
    const before = await picture();
    await act();
    await expect.poll(picture).not.toBe(before);
  };
  await canvas.waitFor();
  expect(await plot.getByRole("combobox", { name: "X" }).inputValue()).toBe("0");
  expect(await plot.getByRole("combobox", { name: "Y" }).locator("option").allInnerTexts()).toEqual([
    "price",
    "sold",
  ]);
  await changes(async () => await plot.getByRole("combobox", { name: "Y" }).selectOption("sold"));
  await changes(async () => await plot.getByRole("combobox", { name: "Kind" }).selectOption("Bars"));
  await changes(async () => await plot.getByRole("combobox", { name: "Kind" }).selectOption("Points"));
  // It shows the rows that the filter leaves.
  await changes(async () => await panel.getByRole("searchbox").fill("fruit 1"));
  expect(await violations(page, "[aria-label=Panel]")).toEqual([]);
  expect((await plot.boundingBox())!.width).toBeLessThanOrEqual(width);
});

test("shows the first rows of a million at once, and draws them", async ({ page }) => {
  const { ask, settled } = chat(page);
  await ask("tokens=2");
  await settled();
  const rows = Array.from({ length: 1_000_000 }, (_, i) => `${i % 10},${i % 7}`).join("\n");
  const threadId = new URL(page.url()).pathname.split("/").at(-1)!;
  const status = await page.evaluate(
    async ({ id, text }) => {
      const response = await fetch(`/v1/threads/${id}/messages`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "Parlance-Client": "web" },
        body: JSON.stringify({
          parent_id: null,
          format: "aui/v0",
          content: { role: "assistant", content: [{ type: "text", text }] },
        }),
      });
      return response.status;
    },
    { id: threadId, text: `\`\`\`csv title="Many"\na,b\n${rows}\n\`\`\`` },
  );
  expect(status).toBeLessThan(300);
  await page.goto(`/t/${threadId}?panel=${encodeURIComponent("csv:Many")}`);
  const panel = page.getByRole("region", { name: "Panel" });
  await panel.locator("tbody td").first().waitFor();
  await panel.getByText("1,000,000 rows", { exact: true }).waitFor();
  expect(await panel.locator("tbody tr").count()).toBeLessThan(150);
  await panel.getByRole("button", { name: "Plot" }).click();
  await panel.getByText("The first 20,000 rows are drawn.").waitFor();
  await panel.locator("canvas").waitFor();
});
