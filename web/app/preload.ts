import { deviceStorage, tabStorage } from "../data/drafts/device-storage.ts";
import { temporaryKey } from "../data/drafts/temporary-storage.ts";
import { loadHighlighter } from "../markdown/code/highlighter-loading.ts";
import { t } from "../i18n/translate.ts";
import { budgetNote } from "../composer/budget/lazy-budget-note.tsx";
import { contextList } from "../composer/context-gauge/lazy-context-list.tsx";
import { dictation } from "../composer/dictation/lazy-dictation.tsx";
import { pasteNote } from "../composer/paste/lazy-paste-note.tsx";
import { slashMenu } from "../composer/slash/lazy-slash-menu.tsx";
import { loadRenderer } from "../markdown/lazy-markdown.ts";
import { loadDialogs } from "../palette/dialog-host.tsx";
import { waveform } from "../parts/audio/audio-player.tsx";
import { loadFilePreview } from "../parts/file/opened-file.tsx";
import { lazyWrittenArtifact } from "../parts/tool-call/lazy-written-artifact.ts";
import { loadToolRequests } from "../parts/tool-call/tool-call.tsx";
import { panelModule } from "../panel/with-panel.tsx";
import { loadQueueList } from "../thread/queue/queue.tsx";
import { nestedMessages } from "../thread/nested-messages/lazy-nested-messages.tsx";
import { openedSummary } from "../thread/summary/lazy-opened-summary.tsx";
import { readingTools } from "../thread/reading-tools/lazy-reading-tools.ts";
import { loadFeedbackForm } from "../thread/feedback/lazy-feedback-form.tsx";
import { folderList } from "../sidebar/folders/lazy-folder-list.ts";
import { answerEdit } from "../thread/answer-edit/lazy-answer-edit.tsx";
import { messageMenu } from "../thread/actions/lazy-message-menu.tsx";
import { threadOutline } from "../thread/outline/lazy-outline.tsx";
import { resumeTemporary } from "../thread/temporary/lazy-temporary.tsx";
import { listBar } from "../sidebar/lazy-list-bar.ts";
import { loadImageViewer } from "../ui/images/lightbox.tsx";
import { loadMenus } from "../ui/menu/menu.tsx";
import { settingsPages } from "../screens/settings/settings-pages.ts";
import { screens } from "./routes.tsx";

/** Until then the connection is free for the first view and the first message. */
const restAfterMs = 8_000;

/**
 * Loads the Markdown renderer, the note about budgets and dictation when the person first presses a key or a button, so that
 * they are there before the first answer. Later, when the browser is idle, loads the fonts of answers and all lazy modules, one
 * after the other. Then they are available when the connection is lost or the server gets another build.
 * `data-all-loaded` says when that is so. With the browser's data saver, the rest is loaded when it is used, except the
 * list of folders: without it the sidebar does not show a first folder that was created on another device.
 */
export function preload(): void {
  for (const type of ["pointerdown", "keydown"])
    addEventListener(type, () => void loadRenderer().then(budgetNote.load).then(dictation.load), {
      once: true,
      capture: true,
    });
  // Reloaded on another screen, such as the settings, the tab still has its temporary chat; closed tabs left theirs.
  const isLeft = deviceStorage.keys(`${temporaryKey}.`).length > 0;
  if (isLeft || tabStorage.get(temporaryKey) !== undefined) void resumeTemporary();
  setTimeout(() => {
    const load = savesData() ? folderList.load : loadAll;
    if (typeof requestIdleCallback === "function") requestIdleCallback(() => void load());
    else void load();
  }, restAfterMs);
}

/** Only Chromium has this property. */
function savesData(): boolean {
  return (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;
}

async function loadAll(): Promise<void> {
  await loadRenderer();
  await budgetNote.load();
  await loadFonts();
  await loadHighlighter();
  await loadMenus();
  await loadDialogs();
  for (const load of [
    slashMenu.load,
    pasteNote.load,
    dictation.load,
    loadQueueList,
    loadToolRequests,
    lazyWrittenArtifact.load,
    loadFeedbackForm,
    loadFilePreview,
    loadImageViewer,
    panelModule.load,
    readingTools.load,
    waveform.load,
    nestedMessages.load,
    openedSummary.load,
    contextList.load,
    folderList.load,
    listBar.load,
    messageMenu.load,
    resumeTemporary,
    answerEdit.load,
    threadOutline.load,
  ])
    await load();
  for (const { preload: load } of [...settingsPages.map(({ screen }) => screen), ...Object.values(screens)])
    await load();
  document.documentElement.dataset["allLoaded"] = "true";
}

/** Otherwise the browser requests a font when the first answer that needs it is shown, and lays the answer out again. */
async function loadFonts(): Promise<void> {
  const style = getComputedStyle(document.documentElement);
  const fonts = ["--serif", "--mono"].map((name) => `1em ${style.getPropertyValue(name)}`);
  const faces = [...fonts, ...fonts.map((font) => `italic ${font}`)];
  // The text decides the script.
  await Promise.allSettled(faces.map(async (face) => await document.fonts.load(face, t("reply.waiting"))));
}
