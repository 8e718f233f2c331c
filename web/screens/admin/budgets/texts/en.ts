export const texts = {
  "budgets.about":
    "How many tokens or how much money people may use per day and month, in UTC. At 80 % they see a warning. When a budget is used up, they can’t send messages until it resets. An answer that has started is completed and counts, so a budget can be exceeded by about one answer.",
  "budgets.aboutMoney":
    "Titles and summaries count too. Requests to models without a known price cost nothing here: limit tokens for them.",
  "budgets.loading": "Loading budgets",
  "budgets.failed": "Couldn’t load the budgets",
  "budgets.perPerson": "Each person",
  "budgets.everyone": "Everyone",
  "budgets.owner": "Owner",
  "budgets.admin": "Administrators",
  "budgets.member": "Members",
  "budgets.guest": "Guests",
  "budgets.app": "Users of apps",
  "budgets.unlimited": "No limit",
  "budgets.asEveryone": "As everyone",
  "budgets.own": "Groups and single people",
  "budgets.ownAbout":
    "The members of a group share its budget, in addition to their own. The budget of a single person replaces that of their role.",
  "budgets.find": "Find a group or a person",
  "budgets.noneOwn": "No group and no person has a budget of their own. Search for one to set it.",
  "budgets.group": "Group",
  "budgets.without": "Without a budget of their own",
  "budgets.add": "Set budget",
  "budgets.addNamed": "Set a budget for {name}",
  "budgets.budgetOf": "Budget: {name}",
  "budgets.everyoneAbout":
    "For each person whose role has no budget, including guests, administrators and you. Leave a field empty for no limit.",
  "budgets.insteadAbout":
    "For each of them, instead of the budget of everyone. Without any limit, they are exempt.",
  "budgets.personAbout": "Instead of the budget of their role. Without any limit, they are exempt.",
  "budgets.appAbout":
    "For each user that an app names with an API key or a token. Requests without a user count as one. Without any limit, they are exempt.",
  "budgets.groupAbout":
    "All members together, including what they used before they joined. Leave a field empty for no limit.",
  "budgets.guestsAbout":
    "All guests share this budget, in addition to the budget of each guest. A new guest session doesn’t renew it. Anonymous visitors of an app share that app’s budget. Leave a field empty for no limit.",
  "budgets.tokensPerDay": "Tokens per day",
  "budgets.tokensPerMonth": "Tokens per month",
  "budgets.usdPerDay": "US dollars per day",
  "budgets.usdPerMonth": "US dollars per month",
  "budgets.noLimit": "No limit",
  "budgets.wrongUsd": "Enter an amount from $0.01 to {max}.",
  "budgets.remove": "Remove budget",
  "budgets.inherit": "Remove own budget",
  "budgets.tokensDay": "{amount} tokens per day",
  "budgets.tokensMonth": "{amount} tokens per month",
  "budgets.usdDay": "{amount} per day",
  "budgets.usdMonth": "{amount} per month",
  "budgets.usedTokensDay": "{used} of {amount} tokens today",
  "budgets.usedTokensMonth": "{used} of {amount} tokens this month",
  "budgets.usedUsdDay": "{used} of {amount} today",
  "budgets.usedUsdMonth": "{used} of {amount} this month",
} as const;
