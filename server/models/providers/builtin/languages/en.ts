import type { Language } from "../language.ts";

export const english: Language = {
  locale: "en-GB",
  sums: {
    "$1%": "# (?:%|percent|per cent)",
    "$1% *": "#% of",
    "$2 - $1%": "#% off #",
    "sqrt($1)": "(?:the )?square root of #",
    "$1 * $2": "# x #",
    "+": "plus",
    "-": "minus",
    "*": "times|multiplied by",
    "/": "divided by",
    "^": "to the power of",
    "": "please|calculate|compute|how much|what(?:'s)?|whats|is|are",
  },
  dates: {
    "25 December": "(?:christmas|xmas)(?: day)?",
    "1 January": "new year(?:'?s)?(?: day)?",
    clock: "what time is it(?: now)?|(?:what's |what is )?the time(?: now)?",
    until: "until|till",
    "from now": "from today",
    between: "between|from(?=.+ (?:to|until) )",
    date: "(?:what|which) (?:day|date|weekday)(?: of the week)?|when|the date|today's date",
    "": "please|(?:how many )?(?<!(?:\\d|two|three|four|five|six|seven|eight|nine|ten) )days|how long|what(?:'s)?|is|was|will|be|it|are|left|there|the",
  },
  calendar:
    "today|tomorrow|yesterday|now|(?:jan|febr?|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(?:\\p{L}*(?:y|ch|il|st|er))?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|next|last|this|ago|in|after|before|from|of|and|(?:day|week|month|year)s?|st|nd|rd|th|an?|one|two|three|four|five|six|seven|eight|nine|ten",
  question:
    "what|whats|who|whose|whom|when|where|why|how|which|is|are|was|were|am|do|does|did|can|could|should|will|would|have|has|find|search|look (?:for|up)|show|tell me|remind me",
  recent:
    "(?:what (?:did|have|were) we (?:talk|talked|talking|discuss|discussed|been talking|chat)(?: about)?|(?:list|show)(?: me)? my (?:last |recent )?(?:threads|chats|conversations))(?: lately| recently| today| yesterday| (?:this|last) \\w+)?",
  phrases: {
    about: `I am the built-in assistant, a small program and not a language model. I can only:

- **calculate**: \`12 * (3 + 4)^2\`, *15% of 240*
- **work with dates**: *days until Christmas*, *90 days after 15 January*
- **find passages in your chats and files** and quote them: *what did I say about the cabin?*`,
    noModel: "No language model is connected.",
    choose: (model) => `Choose **${model}** as the model, and ask again.`,
    connect: "Connect one in [Settings > Models](/settings/models).",
    askOperator: "Ask the person who runs this server to connect one.",
    found: "From your chats and files:",
    onlyQuoted: "I only quote. An answer in other words needs a language model.",
    searchFailed: "I could not search your chats. Try again in a moment.",
    recent: "Your latest chats:",
    noThreads: "There are no other chats yet.",
    you: "you",
    assistant: "the assistant",
    page: (page) => `page ${page}`,
    inThread: (title) => `in ${title}`,
    untitled: "Untitled",
  },
};
