import { useMediaQuery } from "#web/lib/use-media-query.ts";
import { usePreference } from "#web/preferences/preferences.ts";

/** Colours of the diagram itself, for which models assume a light background. */
const ownColours = /%%\{\s*init|\bfill\s*:/;

/** Whether a diagram is drawn with dark colours: if the page has its dark theme and the diagram no colours of its own. */
export function useIsDarkDiagram(code: string): boolean {
  const [theme] = usePreference("theme");
  const isSystemDark = useMediaQuery("(prefers-color-scheme: dark)");
  return (theme === "system" ? isSystemDark : theme === "dark") && !ownColours.test(code);
}
