// Answers blocks from standard input by the program for browsers, under node.
require("./page.js");
process.stdout.write(globalThis.tclosenessAnswers(require("fs").readFileSync(0, "latin1")) + "\n");
