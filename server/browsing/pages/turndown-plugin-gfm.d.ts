declare module "@joplin/turndown-plugin-gfm" {
  import type TurndownService from "turndown";

  /** Tables, strikethrough, task lists and highlighted code of GitHub's Markdown. */
  export const gfm: TurndownService.Plugin;
}
