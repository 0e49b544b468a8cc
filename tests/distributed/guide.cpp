#include <etude/distributed/data_parallel.h>
#include <etude/distributed/mpi/process_group_mpi.h>
#include <etude/etude.h>

namespace dist = etude::distributed;
namespace nn = etude::nn;
namespace optim = etude::optim;
using etude::Tensor;

int main() {
  auto group = dist::ProcessGroupMPI::createProcessGroupMPI();
  return dist::guarded(*group, [&] {
    etude::manual_seed(1);  // the same in all processes
    nn::GPT model(nn::GPTOptions(100).context(64).d_model(128).layers(4).heads(4));
    nn::parallel::DistributedDataParallel shared(model, group,
                                                 nn::parallel::DistributedDataParallelOptions().parts(4));
    optim::AdamW optimizer(model->parameters(), optim::AdamWOptions(1e-3));
    for (int step = 0; step < 20; ++step) {
      const Tensor ids = etude::randint(100, {12, 65});  // the whole batch; each process takes its rows
      optimizer.zero_grad();
      const Tensor loss = shared.mean_loss({ids}, [&](const std::vector<Tensor>& part) {
        return model->loss(part[0].narrow(1, 0, 64), part[0].narrow(1, 1, 64));
      });
      optimizer.step();
      if (group->getRank() == 0) etude::print(loss);
    }
    return 0;
  });
}
