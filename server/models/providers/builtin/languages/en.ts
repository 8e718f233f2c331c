import type { Language } from "../language.ts";

export const english: Language = {
  locale: "en-GB",
  sums: {
    "$1%": "# (?:%|percent|per cent)",
    "$1% *": "#% of",
    "$2 / $1 * 100": "(?:what|which) percent(?:age)? of # is #",
    "$1 / $2 * 100": "# is what percent(?:age)? of #",
    "$2 - $1%": "#% (?:off|discount on) #",
    "$2 + $1%": "add #%(?: \\p{L}+)? to #",
    "$1 / $2": "(?:split|divide) # (?:by|between|among) #(?: people)?",
    "sqrt($1)": "(?:the )?square root of #",
    "cbrt($1)": "(?:the )?cube root of #",
    "$1 * $2": "# x #",
    "$2 * $1%": "#% tip (?:on|for) #",
    "0.5 *": "half of",
    "+": "plus",
    "-": "minus",
    "*": "times|multiplied by",
    "/": "divided by|over",
    "^": "to the power of|raised to",
    "^2": "squared",
    "^3": "cubed",
    "$1 fahrenheit": "# ?(?:degrees? )?(?:f|fahrenheit)",
    "$1 celsius": "# ?(?:degrees? )?(?:c|celsius)",
    celsius: "(?<=(?:in|to) )c",
    fahrenheit: "(?<=(?:in|to) )f",
    "$1 ft + $2 inch": "#(?:'| ?ft| feet| foot) ?#(?:\"| ?inch(?:es)?)?",
    ft: "feet and inches|foot",
    // In the calculator gb is not a unit and mb means megabits.
    GB: "gb",
    MB: "mb",
    floz: "fl\\.? ?oz|fluid ounces?",
    oz: "ounces?",
    many: "how (?:many|much)",
    1: "(?<=(?:^|in|is|are) )(?:a|an|one)",
    to: "into|as",
    "": "how (?:far|long|tall|heavy|fast|hot|cold)|please|pls|hi|hello|hey|and|calculate|compute|convert|what(?:'s)?|whats|is|are|was|there|the|equals?|makes?|a decimal",
  },
  dates: {
    "25 December": "(?:christmas|xmas)(?: day)?",
    "31 December": "new year's eve|end of the year",
    "1 January": "new year(?:'?s)?(?: day)?",
    "31 October": "halloween",
    clock: "what time is it(?: now)?|(?:what's |what is )?the time(?: now)?|current time",
    "many $1":
      "(?:how many )?(?<!(?:\\d|two|three|four|five|six|seven|eight|nine|ten) )(day|week|month|year)s",
    "many day": "how long",
    until: "until|till|'til",
    since: "since|ago (?:was|is)",
    "from now": "from today",
    between: "between|from(?=.+ (?:to|until) )",
    date: "(?:what|which) (?:day|date|weekday)(?: of the week)?|when|weekday|the date|today's date|date",
    "": "please|hi|hello|hey|tell me|what(?:'s)?|is|was|were|will|be|it|are|left|there|does|fall|on|the",
  },
  calendar:
    "today|tomorrow|yesterday|now|(?:jan|febr?|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(?:\\p{L}*(?:y|ch|il|st|er))?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|next|last|this|ago|in|after|before|from|of|and|(?:day|week|month|year)s?|st|nd|rd|th|an?|one|two|three|four|five|six|seven|eight|nine|ten",
  question:
    "what|whats|who|whose|whom|when|where|why|how|which|is|are|was|were|am|do|does|did|can|could|should|will|would|have|has|find|search|look (?:for|up)|show|tell me|remind me",
  smallTalk: {
    greeting:
      "(?:hi|hello|hey|good (?:morning|afternoon|evening|day))(?: there| all)?(?:,? how are you)?|how are you",
    thanks:
      "(?:ok(?:ay)?|great|perfect)?[,!. ]*(?:thanks|thank you|thx|cheers)(?: a lot| so much| very much)?",
    about:
      "(?:who|what) are you|help|what (?:can|do) (?:you|i) (?:do|ask)(?: (?:here|you|for me))?|how can you help(?: me)?|are you (?:an? )?(?:ai|bot|chatgpt|human|language model)",
    connect:
      "(?:how|where|can|could).{0,30}(?:connect|set ?up|configure|install|add|use|enable|switch to|change).{0,30}(?:models?|llms?|ollama|openai|(?:chat)?gpt\\S*|claude|api keys?).{0,20}",
    recent:
      "(?:what (?:did|have|were) we (?:talk|talked|talking|discuss|discussed|been talking|chat)(?: about)?|(?:list|show)(?: me)? my (?:last |recent )?(?:threads|chats|conversations))(?: lately| recently| today| yesterday| (?:this|last) \\w+)?",
  },
  phrases: {
    hello: "Hello!",
    welcome: "You are welcome.",
    about: `I am the built-in assistant of this server, a small program and not a language model. I can:

- **calculate**: \`12 * (3 + 4)^2\`, *15% of 240*, *20% off 59.90*
- **convert units**: *10 miles in km*, *72 F to celsius*
- **work with dates**: *days until Christmas*, *90 days after 15 January*
- **find passages in your chats and files** and quote them: *what did I say about the cabin?*`,
    noModel: "No language model is connected.",
    choose: (model) => `Choose **${model}** as the model, and ask again.`,
    askOperator: "Ask the person who runs this server to connect one.",
    howToConnect: `You can connect one in [Settings > Models](/settings/models):

- **A service** such as OpenAI, Anthropic or Google: paste a key from its website.
- **A model server of your own**, such as vLLM or LM Studio: enter its address.
- **Ollama on this machine:** start it and download a model, for example \`ollama pull llama3.2\`. The server finds it within about ten seconds.`,
    howToConnectShort:
      "Connect one in [Settings > Models](/settings/models), or start Ollama on this machine.",
    cannot:
      "I cannot answer this, because it needs a language model. Your message is saved in this chat, and I can find it when you ask about it.",
    keptFiles: (names) => `Saved with your message: ${names}. Ask about the text, and I quote the passages.`,
    unreadFiles: (names) => `I cannot read ${names}.`,
    found: "From your chats and files:",
    foundInPart: "Nothing in your chats and files matches all of this. The closest passages:",
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
