const forbidden =
  /^(?:script|iframe|frame|object|embed|base|link|meta|style|form|audio|video|source|template|noscript|animate|use|foreignobject)$/i;

/** What is wrong with a page that React has printed, in which each value is quoted and has no `"`. */
export function problemsIn(html: string): string[] {
  return [...html.matchAll(/<([a-z][^\s/>]*)([^>]*)>/gi)].flatMap(([tag, name = "", rest = ""]) => {
    if (forbidden.test(name)) return [tag];
    return [...rest.matchAll(/([^\s="]+)="([^"]*)"/g)].flatMap(([, attribute = "", value = ""]) => {
      if (/^on|^srcdoc$|^formaction$|^xlink/i.test(attribute)) return [tag];
      if (attribute === "style" && /url|expression/i.test(value)) return [tag];
      if (/^(?:src|srcset|poster|data)$/.test(attribute) && !isOwn(value)) return [tag];
      if (attribute === "href" && !/^(?:https?:\/\/|mailto:|\/(?!\/)|#)/.test(value)) return [tag];
      return [];
    });
  });
}

function isOwn(address: string): boolean {
  if (address.startsWith("data:image/")) return true;
  const { origin } = location;
  return URL.canParse(address, origin) && new URL(address, origin).origin === origin;
}
