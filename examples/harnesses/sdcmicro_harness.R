# A harness for the R package sdcMicro: k-anonymity by freqCalc, and distinct and entropy l-diversity by ldiversity.
# Written from the protocol. Needs the packages jsonlite and sdcMicro. Run it with:
#   tcloseness conform run --seconds 60 -- Rscript examples/harnesses/sdcmicro_harness.R

suppressPackageStartupMessages({
  library(jsonlite)
  library(sdcMicro)
})

algorithms <- c("k-anonymity", "distinct-l", "entropy-l")
most_rows <- 100000 # a row with a multiplicity is written out

# The protocol's table as a data frame. Cells are text or null; numbers become numbers.
as_frame <- function(input) {
  columns <- unlist(input$columns)
  types <- unlist(input$types)
  frame <- lapply(seq_along(columns), function(j) {
    cells <- vapply(input$rows, function(row) if (is.null(row[[j]])) NA_character_ else row[[j]], character(1))
    if (types[j] == "integer" && any(nchar(cells) > 15, na.rm = TRUE)) stop("skip: R's numbers are doubles")
    if (types[j] == "text") factor(cells) else as.numeric(cells)
  })
  names(frame) <- columns
  frame <- as.data.frame(frame, check.names = FALSE)
  if (!is.null(input$times)) {
    times <- as.numeric(unlist(input$times))
    if (sum(times) > most_rows) stop("skip: too many records to write out")
    frame <- frame[rep(seq_len(nrow(frame)), times), , drop = FALSE]
    rownames(frame) <- NULL
  }
  frame
}

answer <- function(message) {
  input <- message$input
  frame <- as_frame(input)
  keys <- unlist(input$quasi_identifiers)
  sensitive <- unlist(input$sensitive)
  if (length(keys) == 0) stop("skip: sdcMicro needs a quasi-identifier")
  if (message$algorithm == "k-anonymity") {
    value <- min(freqCalc(frame, keyVars = which(names(frame) %in% keys))$fk)
    threshold <- as.numeric(message$parameters$k)
  } else {
    found <- ldiversity(frame, keyVars = keys, ldiv_index = sensitive)
    what <- if (message$algorithm == "distinct-l") "Distinct_Ldiversity" else "Entropy_Ldiversity"
    value <- min(found[, grep(what, colnames(found))])
    threshold <- as.numeric(message$parameters$l)
  }
  list(value = format(value, digits = 17, scientific = FALSE), satisfied = value >= threshold)
}

reply <- function(record) {
  cat(toJSON(record, auto_unbox = TRUE, digits = NA), "\n", sep = "")
  flush(stdout())
}

lines <- file("stdin", "r")
while (length(line <- readLines(lines, n = 1)) > 0) {
  message <- fromJSON(line, simplifyVector = FALSE)
  if (message$cmd == "stop") break
  if (message$cmd == "start") {
    reply(list(
      version = 1,
      implementation = list(name = "sdcMicro", version = as.character(packageVersion("sdcMicro")), language = "R"),
      algorithms = algorithms,
      # a missing quasi-identifier may be any value
      conventions = list("missing-key-as-wildcard")
    ))
    next
  }
  # what a function prints would be taken for an answer
  found <- tryCatch(
    {
      printed <- capture.output(result <- suppressWarnings(suppressMessages(answer(message))))
      list(seq = message$seq, result = result)
    },
    error = function(problem) {
      text <- conditionMessage(problem)
      if (startsWith(text, "skip: ")) {
        list(seq = message$seq, skipped = substring(text, 7))
      } else {
        list(seq = message$seq, error = list(message = text))
      }
    }
  )
  reply(found)
}
