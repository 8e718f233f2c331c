import { expect, test } from "vitest";
import { chat, eventually } from "../support/chat.ts";
import { attached } from "../support/drop.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

test("the up arrow in an empty field edits the last message, and moves the cursor in one with text", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  const { ask, composer, questions, settled } = chat(page);
  await composer.press("ArrowUp");
  await ask("First tokens=3");
  await settled();
  await ask("Second tokens=3");
  await settled();
  await composer.fill("Typed");
  await composer.press("ArrowUp");
  const field = page.getByRole("textbox", { name: "Edit your message" });
  expect(await field.count()).toBe(0);
  await composer.fill("");
  await composer.press("ArrowUp");
  await eventually(
    async () => await field.inputValue(),
    (text) => expect(text).toBe("Second tokens=3"),
  );
  await page.keyboard.press("Control+A");
  await page.keyboard.type("Third tokens=3");
  await page.keyboard.press("Enter");
  await questions.nth(1).getByText("Third").waitFor();
  await settled();
  await ada.end();
});

test("a long pasted text can become a file, and the rest of the message stays", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  const { composer, questions, settled } = chat(page);
  const long = "A line of the log, with $& and $1.\r\n".repeat(200);
  const paste = async (text: string) => {
    await page.evaluate(async (copied) => await navigator.clipboard.writeText(copied), text);
    await composer.press("Control+V");
  };
  const makeFile = page.getByRole("button", { name: "Make it a file" });
  await composer.fill("What failed? tokens=3 ");
  await paste("A short text. ");
  expect(await makeFile.count()).toBe(0);
  await paste(long);
  await makeFile.click();
  await eventually(
    async () => await composer.inputValue(),
    (text) => expect(text).toBe("What failed? tokens=3 A short text. "),
  );
  await attached(page).getByText("Pasted text.txt").waitFor();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await questions.first().getByText("Pasted text.txt").first().waitFor();
  await settled();
  await eventually(
    () => Promise.resolve(JSON.stringify(environment.model.requests)),
    (requests) => expect(requests).toContain("A line of the log, with $& and $1."),
  );
  await ada.end();
});
