import { english } from "#web/words/en.ts";
import { speak } from "#web/words/words.ts";

// The page speaks the chosen language before anything is shown; a test that wants another says so, and puts it back.
speak("en", "ltr", english);
