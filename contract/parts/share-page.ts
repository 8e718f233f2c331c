import type { PartOf } from "./kinds.ts";

/** A part of a message as other people may see it. */
export type SharedPart = PartOf<"text" | "image" | "file" | "audio" | "source">;

export type SharedMessage = {
  id: string;
  role: "user" | "assistant";
  /** The address of a file that is not shared is empty. */
  parts: readonly SharedPart[];
  /** The name of the assistant, or else of the model. */
  author: string | null;
  isRunning: boolean;
  /** Whether a person edited the answer by hand. */
  isEdited: boolean;
  /** Where it is among the messages with the same parent, if there are others that the link shares. From 0. */
  branches:
    | { index: number; count: number; previous: string | undefined; next: string | undefined }
    | undefined;
  /** Whether more of the message is left out, because it is too long. */
  isCut: boolean;
};

/** What the public page of a link shows. */
export type SharePage =
  | {
      kind: "thread";
      title: string | null;
      sharedAt: string;
      /** A unique text, which the server replaces by the rendered messages. */
      messagesPlaceholder: string;
      /** The addresses of the pages with the messages before these, and with the last ones. */
      earlier: string | undefined;
      latest: string | undefined;
      continueUrl: string;
      liveUrl: string | undefined;
      /** For previews of the link in other programs. */
      preview: { url: string; description: string } | undefined;
    }
  | { kind: "password"; failure: "wrong" | "rate-limited" | undefined }
  | {
      kind: "sign-in";
      signInUrl: string;
      /** Where the browser goes first if another site led here: then it has not sent the session. */
      retryUrl: string | undefined;
    }
  | { kind: "missing" }
  | { kind: "unavailable" }
  /** Too much was asked for: the link or its reader has used up its limit. */
  | { kind: "busy" };

/** An event of a live view: the ids of all messages in order, and the HTML of those that changed. */
export type LiveShareEvent = { order: string[]; changed: Record<string, string> };

/**
 * Renders the public page of a link without its messages, in a time that no content can make long. Both renderers are built
 * from the components of the web app, and the server loads them from the build: its own code has no components.
 */
export type SharePageRenderer = {
  /** The page's own script, which updates live views. */
  liveScript: string;
  /** The tag of the best language for an `Accept-Language` header. */
  chooseLanguage(accepted: string | undefined): string;
  /** A complete document. `styles` is inserted into it. `basePath`: where the server is on its host, "" at its root. */
  renderPage(page: SharePage, options: { language: string; styles: string; basePath: string }): string;
};

/** Renders the messages, which can take long. */
export type ShareMessageRenderer = {
  /** One message as HTML, for the page at `path`. `isPlain`: its text is not parsed, and a note says so. */
  renderMessage(
    message: SharedMessage,
    options: { language: string; path: string; isPlain: boolean },
  ): string;
};
