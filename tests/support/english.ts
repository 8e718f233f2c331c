import { english } from "#web/i18n/en.ts";
import { speak } from "#web/i18n/translate.ts";

// The page speaks the chosen language before anything is shown; a test that wants another says so, and puts it back.
speak("en", "ltr", english);
