/** The part of the Web Speech API that is used here. TypeScript does not know what runs on the device. */
export type Recognizer = EventTarget & {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  processLocally: boolean;
  start(): void;
  stop(): void;
  abort(): void;
};

type Options = { langs: string[]; processLocally: true };
type Availability = "available" | "downloadable" | "downloading" | "unavailable";
type RecognizerClass = {
  new (): Recognizer;
  available?(options: Options): Promise<Availability>;
  install?(options: Options): Promise<boolean>;
};

/** A list of pieces, of which the last ones are not final. */
export type Results = ArrayLike<ArrayLike<{ transcript: string }> & { isFinal: boolean }>;
export type ResultEvent = Event & { results: Results };

/** Whether this browser knows recognizers that run on the device. Others can only send the sound to their maker. */
export const knowsLocalRecognizers = typeof recognizerClass()?.available === "function";

/**
 * A recognizer on the device for the page's language; `undefined` if this browser has none, `failed` if it could not be
 * installed. Calls `onDownload` before the browser downloads what it needs. Only for a person who asks for it: a browser
 * that knows the function but lacks the service behind it may end the page.
 */
export async function localRecognizer(onDownload: () => void): Promise<Recognizer | "failed" | undefined> {
  const Class = recognizerClass();
  const lang = languageOfPage();
  const options: Options = { langs: [lang], processLocally: true };
  const availability = await Class?.available?.(options).catch(() => undefined);
  if (Class === undefined || availability === undefined || availability === "unavailable") return undefined;
  if (availability !== "available") {
    onDownload();
    const isInstalled = await Class.install?.(options).catch(() => false);
    if (isInstalled !== true) return "failed";
  }
  return Object.assign(new Class(), { lang, processLocally: true, continuous: true, interimResults: true });
}

function recognizerClass(): RecognizerClass | undefined {
  const names = globalThis as {
    SpeechRecognition?: RecognizerClass;
    webkitSpeechRecognition?: RecognizerClass;
  };
  return names.SpeechRecognition ?? names.webkitSpeechRecognition;
}

/** The variety of the page's language that the person has chosen in the browser. */
function languageOfPage(): string {
  const { lang } = document.documentElement;
  return navigator.languages.find((tag) => tag.toLowerCase().split("-")[0] === lang) ?? lang;
}
