/** The relative links of a Markdown text, without those in code blocks. `path` is empty for headings of the same page. */
export function linksIn(text: string): { path: string; heading: string }[] {
  return Array.from(
    withoutCode(text).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)/g),
    ([, path = "", heading = ""]) => ({
      path,
      heading,
    }),
  );
}

/** The addresses of the headings of a Markdown text, as GitHub makes them. */
export function headingsIn(text: string): Set<string> {
  return new Set(
    Array.from(withoutCode(text).matchAll(/^#+ (.*)$/gm), ([, words = ""]) =>
      words
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\- ]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```.*?^```/gms, "");
}
