import { expect } from "vitest";
import sharp from "sharp";
import { chat } from "../support/chat.ts";
import { attached, base64, drop, fiveFiles, uploaded } from "../support/drop.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

test("loads thumbnails until a picture is opened, without layout shifts", async () => {
  // The browser logs that the broken picture has no thumbnail.
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  const { ask, settled, questions } = chat(ada.page);
  const large = async (name: string, background: string) => ({
    name,
    type: "image/png",
    body: base64(
      await sharp({ create: { width: 1_200, height: 900, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  });
  const broken = { name: "broken.png", type: "image/png", body: base64("\u0089PNG\r\n\u001a\n no more") };
  const held = Promise.withResolvers<void>();
  await ada.page.route("**/thumbnail", async (route) => {
    await held.promise;
    await route.continue();
  });
  await drop(ada.page, [await large("lake.png", "#2a7f77"), await large("dusk.png", "#a05030"), broken]);
  await uploaded(ada.page);
  await ask("What is on these? tokens=3");
  await settled();
  const tiles = questions.first().getByRole("button", { name: /^Open the image/ });
  const places = async () =>
    await Promise.all((await tiles.all()).map(async (tile) => await tile.boundingBox()));
  expect(await tiles.count()).toBe(3);
  const before = await places();
  held.resolve();
  const pixels = async (name: string) =>
    await ada.page
      .getByRole("main")
      .getByRole("img", { name })
      .first()
      .evaluate((image) => (image as { naturalWidth?: number }).naturalWidth);
  for (const name of ["lake.png", "dusk.png"]) await expect.poll(async () => await pixels(name)).toBe(512);
  await expect.poll(async () => await questions.first().getByRole("img").count()).toBe(2);
  expect(await places()).toEqual(before);
  const whole = () => ada.requests.filter((request) => /GET \/v1\/files\/.*\/content/.test(request));
  // Only the broken picture.
  expect(whole()).toHaveLength(1);
  await tiles.first().click();
  const opened = ada.page.getByRole("dialog").getByRole("img");
  await expect
    .poll(async () => await opened.evaluate((image) => (image as { naturalWidth?: number }).naturalWidth))
    .toBe(1_200);
  await ada.page.keyboard.press("Escape");
  const asked = whole().length;
  await ada.page.getByRole("link", { name: "Files" }).click();
  const rows = ada.page.getByRole("main").getByRole("listitem");
  await expect.poll(async () => await rows.count()).toBe(3);
  await expect
    .poll(
      async () =>
        await rows
          .locator("img")
          .evaluateAll((images) => images.map((image) => (image as { naturalWidth?: number }).naturalWidth)),
    )
    .toEqual([512, 512]);
  expect(whole()).toHaveLength(asked);
});

test("keeps attachments when a message is edited, and removes deleted ones", async ({ ada }) => {
  const { ask, settled, questions } = chat(ada.page);
  await drop(ada.page, (await fiveFiles()).slice(1, 3));
  await uploaded(ada.page);
  await ask("First words tokens=3");
  await settled();
  await questions.first().hover();
  await questions.first().getByRole("button", { name: "Edit" }).click();
  await ada.page.getByRole("button", { name: "Remove notes.txt" }).click();
  await ada.page.getByRole("textbox", { name: "Edit your message" }).fill("Other words tokens=3");
  await ada.page.keyboard.press("Enter");
  await questions.first().getByText("Other words").waitFor();
  await settled();
  await questions.first().getByText("prices.csv", { exact: true }).waitFor();
  expect(await questions.first().getByText("notes.txt").count()).toBe(0);
});

test("says of a file that was removed before it was sent that it will be deleted", async ({ ada }) => {
  await drop(ada.page, (await fiveFiles()).slice(1, 3));
  await uploaded(ada.page);
  await ada.page.getByRole("button", { name: "Remove notes.txt" }).click();
  await chat(ada.page).ask("With one file tokens=3");
  await chat(ada.page).settled();
  await ada.page.goto("/files");
  const row = (name: string) => ada.page.getByRole("listitem").filter({ hasText: name });
  await row("notes.txt").getByText("Not sent, so it will be deleted after a day").waitFor();
  expect(await row("prices.csv").getByText("Not sent").count()).toBe(0);
});

test("shows the failure of a file beside it, and sends without it", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  const { ask, settled, sendButton, composer } = chat(ada.page);
  await composer.fill("Words that stay tokens=3");
  await ada.page.route("**/generate-presigned-upload-url", async (route) => {
    const problem = {
      error: "Attachment too large",
      code: "file-too-large",
      message:
        "This file is too large for this server. Make it smaller, or ask an administrator to raise the limit.",
      request_id: "req_1",
    };
    await route.fulfill({ status: 413, json: problem });
  });
  await drop(ada.page, (await fiveFiles()).slice(2, 3));
  await ada.page.getByRole("alert").getByText("too large for this server").waitFor();
  expect(await sendButton.isDisabled()).toBe(true);
  await ada.page.getByRole("button", { name: "Remove notes.txt" }).click();
  expect(await composer.inputValue()).toBe("Words that stay tokens=3");
  await ask("Words that stay tokens=3");
  await settled();
});

test("attaches a pasted picture, and pastes text as text", async ({ ada }) => {
  await chat(ada.page).composer.focus();
  const paste = async (type: string, body: string) =>
    await ada.page.evaluate(`(() => {
      const transfer = new DataTransfer();
      if (${JSON.stringify(type)} === "text/plain") transfer.setData("text/plain", ${JSON.stringify(body)});
      else transfer.items.add(new File([Uint8Array.from(atob(${JSON.stringify(body)}), (l) => l.charCodeAt(0))], "image.png", { type: ${JSON.stringify(type)} }));
      document.activeElement.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData: transfer }));
    })()`);
  const [picture] = await fiveFiles();
  await paste("text/plain", "words");
  await paste("image/png", picture?.body ?? "");
  await expect.poll(async () => await attached(ada.page).count()).toBe(1);
});

test("lists files with their threads, finds one by name, and deletes it permanently", async ({ ada }) => {
  const { ask, settled } = chat(ada.page);
  await drop(ada.page, (await fiveFiles()).slice(1, 3));
  await uploaded(ada.page);
  await ask("For the library tokens=3");
  await settled();
  await ada.page.getByRole("link", { name: "Files" }).click();
  const kept = ada.page.getByRole("main").getByRole("listitem");
  await expect.poll(async () => await kept.count()).toBe(2);
  await kept
    .first()
    .getByRole("link", { name: /^Open the chat/ })
    .waitFor();
  await ada.page.getByRole("searchbox", { name: "Search files by name or content" }).fill("PRICE");
  await expect.poll(async () => await kept.count()).toBe(1);
  await kept.getByRole("button", { name: "Delete prices.csv" }).click();
  const question = ada.page.getByRole("dialog", { name: "Delete" });
  await question.getByText("It will disappear from the messages that use it").waitFor();
  await question.getByRole("button", { name: "Delete" }).click();
  await ada.page.getByText("No files match “PRICE”.").waitFor();
  await ada.page.getByRole("searchbox").fill("");
  await kept.getByText("notes.txt").waitFor();
});

test("says that nothing was found only after a search, and that more did not load", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  await drop(ada.page, (await fiveFiles()).slice(1, 3));
  await uploaded(ada.page);
  await ada.page.goto("/files");
  const kept = ada.page.getByRole("main").getByRole("listitem");
  const none = ada.page.getByText(/^No files match/);
  const field = ada.page.getByRole("searchbox");
  await field.fill("plum");
  await ada.page.getByText("No files match “plum”.").waitFor();
  const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await ada.page.route(/\/v1\/files\?.*q=price/, async (route) => {
    asked.resolve();
    await held.promise;
    await route.continue();
  });
  await field.fill("price");
  expect(await none.count()).toBe(0);
  await asked.promise;
  expect(await none.count()).toBe(0);
  held.resolve();
  await kept.getByText("prices.csv").waitFor();

  let isBroken = true;
  await ada.page.route(/\/v1\/files\?.*sort=name/, async (route) => {
    if (isBroken && route.request().url().includes("after=")) {
      const problem = { code: "bad-cursor", error: "Bad cursor", message: "No.", request_id: "req_1" };
      return await route.fulfill({ status: 400, json: problem });
    }
    if (route.request().url().includes("after=")) return await route.continue();
    const page = (await (await route.fetch()).json()) as { files: { id: string }[] };
    await route.fulfill({ json: { ...page, files: page.files.slice(0, 1), next: page.files[0]!.id } });
  });
  await field.fill("");
  // Otherwise this is still the order of the previous query.
  await kept.getByText("notes.txt").waitFor();
  await ada.page.getByRole("combobox", { name: "Sort files" }).selectOption("name");
  await ada.page.getByRole("button", { name: "Show more" }).click();
  const notice = ada.page.getByRole("alert").filter({ hasText: "Couldn’t load more files" });
  await notice.waitFor();
  isBroken = false;
  await notice.getByRole("button", { name: "Try again" }).click();
  await notice.waitFor({ state: "detached" });
  await expect.poll(async () => await kept.count()).toBe(2);
});
