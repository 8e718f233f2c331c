import { expect } from "vitest";
import { chat, eventually } from "../support/chat.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ model: false });

test("finds an earlier message and links to it", async () => {
  const ada = await visit(environment.browser, environment.server.url, { width: 390, height: 844 });
  const { ask, settled, log, answers } = chat(ada.page);
  await ask("The garage code is 7719, and the remote lies in the blue bowl");
  await settled();
  const note = new URL(ada.page.url()).pathname;
  await ada.page.goto(`${environment.server.url}/`);
  await ask("What is the code of the garage?");
  await settled();

  await answers.last().getByRole("blockquote").getByText("The garage code is 7719").waitFor();
  await answers
    .last()
    .getByText(/Used search.threads|search_threads/)
    .first()
    .waitFor();
  const sources = answers.last().getByRole("list", { name: "Sources" });
  const link = sources.getByRole("link").first();
  expect(await link.innerText()).toMatch(/^1\s/);
  await link.focus();
  await ada.page.keyboard.press("Enter");
  await eventually(
    async () => new URL(ada.page.url()),
    (url) => {
      expect(url.pathname).toBe(note);
      expect(url.searchParams.get("m")).toMatch(/^msg_0/);
    },
  );
  await ada.page.locator("[data-marked]").waitFor();
  await log.getByText("The garage code is 7719").first().waitFor();
  // The link stays on this server.
  expect(await ada.page.evaluate(() => document.querySelectorAll("a[target=_blank]").length)).toBe(0);
});

test("suggests a calculation to new people, and a look back to others", async ({ ada }) => {
  const { settled, answers } = chat(ada.page);
  const starters = ada.page.getByRole("list", { name: "Suggestions" });
  const names = async () => await starters.getByRole("button").allInnerTexts();
  await starters.waitFor();
  expect(await names()).toHaveLength(2);
  expect(await names()).not.toContain("What have we talked about lately?");
  await starters.getByRole("button").first().click();
  await answers.last().getByText("441").first().waitFor();
  await settled();
  await ada.page.goto(`${environment.server.url}/`);
  const lately = starters.getByRole("button", { name: "What have we talked about lately?" });
  await lately.click();
  await answers.last().getByRole("list", { name: "Sources" }).getByRole("link").first().click();
  await expect.poll(async () => await answers.last().innerText()).toContain("441");
});

test("answers each Arabic suggestion in Arabic", async () => {
  const ada = await visit(environment.browser, environment.server.url, { locale: "ar", width: 390 });
  const log = ada.page.getByRole("log");
  const starters = ada.page.getByRole("list", { name: "اقتراحات" }).getByRole("button");
  for (const [name, answer] of [
    ["كم يساوي 18% من 2,450؟", "441"],
    ["كم يومًا بقي حتى 1 يناير؟", "1 يناير 20"],
    ["عمَّ تحدثنا مؤخرًا؟", "آخر محادثاتك:"],
  ] as const) {
    await ada.page.goto(`${environment.server.url}/`);
    await starters.filter({ hasText: name }).click();
    await expect.poll(async () => await log.getByRole("article").last().innerText()).toContain(answer);
  }
});
