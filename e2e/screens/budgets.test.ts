import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ ownServer: true });

const guests = { name: /^Guests/ };

async function setTokens(page: Page, tokens: string): Promise<void> {
  await page.getByRole("button", guests).click();
  await page.getByRole("dialog").getByLabel("Tokens per month").fill(tokens);
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

/** How many tokens the person used this month, as the page of usage says. */
async function usedTokens(page: Page): Promise<number> {
  await page.goto("/settings/usage");
  const text = await page.getByText(/^[\d,]+ of [\d,]+ tokens$/).textContent();
  return Number(/^[\d,]+/.exec(text ?? "")![0].replaceAll(",", ""));
}

test("a budget warns, stops, and begins anew when it is raised, on a phone", async () => {
  const width = 390;
  const { browser, server } = environment;
  const olga = await visit(browser, server.url, {
    path: server.ownerLink,
    width,
    networkErrorsExpected: true,
  });
  await olga.page.waitForURL(`${server.url}/`);
  const gus = await visit(browser, server.url, { width, networkErrorsExpected: true });
  const { page } = gus;
  await chat(page).ask("First tokens=5");
  await chat(page).settled();

  await olga.page.goto("/admin/limits");
  await olga.page.getByRole("button", guests).click();
  const field = olga.page.getByRole("dialog").getByLabel("Tokens per month");
  await field.fill("none");
  await olga.page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await olga.page.getByText("Enter a whole number from 1").waitFor();
  await olga.page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await setTokens(olga.page, "1000000");
  await olga.page.getByText("1,000,000 tokens per month").waitFor();

  // The warning from 80 % on.
  const used = await usedTokens(page);
  expect(used).toBeGreaterThan(0);
  await setTokens(olga.page, String(Math.floor(used / 0.9)));
  await page.goto("/");
  // The note loads with the first key.
  await chat(page).composer.pressSequentially("Second tokens=40");
  await page.getByText(/^You’ve used (8\d|9\d)\s?% of your budget for this month\.$/).waitFor();
  await page.keyboard.press("Enter");
  await chat(page).settled();
  const stopped = page.getByText(/^Your budget is used up\. You can ask again on /);
  await stopped.waitFor();

  // The stop keeps what was typed, and nothing reaches the model.
  const requests = environment.model.requests.length;
  await chat(page).ask("Third tokens=1");
  await chat(page)
    .log.getByText(/^Your budget is used up until .* Send this again then/)
    .waitFor();
  await chat(page).log.getByText("Third tokens=1").waitFor();
  expect(environment.model.requests).toHaveLength(requests);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);

  await setTokens(olga.page, "1000000");
  await page.getByRole("button", { name: "Send again" }).click();
  await chat(page).settled();
  await chat(page)
    .log.getByText(/^Your budget/)
    .waitFor({ state: "detached" });
  await stopped.waitFor({ state: "detached" });

  await olga.page.getByRole("button", guests).click();
  await olga.page.getByRole("dialog").getByRole("button", { name: "Remove own budget" }).click();
  await olga.page.getByText("1,000,000 tokens per month").waitFor({ state: "detached" });
  await Promise.all([olga.end(), gus.end()]);
});
