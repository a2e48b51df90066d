-- The bare client: asks wrk's one thread for every page of the site in turn, parsing and keeping nothing.
--   wrk … -s pages.lua http://host/ -- paths.txt
-- The last line it prints is a JSON object.

local requests, position = {}, 0

function init(arguments)
  for path in io.lines(arguments[1]) do
    requests[#requests + 1] = wrk.format("GET", path)
  end
end

function request()
  position = position % #requests + 1
  return requests[position]
end

function done(summary)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  print(string.format('{"pages": %d, "seconds": %.3f, "failed": %d}', summary.requests, summary.duration / 1e6, failed))
end
